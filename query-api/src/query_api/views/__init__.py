"""Who was shown whose personal data.

An endpoint tells with each answer what that shows (`showing`); the recorder writes what it is told into the
chain of accesses, many at once and a moment later (`recorder`); what was written is read again by whom it
concerns (`reading`, `routes`).
"""
