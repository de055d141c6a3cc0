/** A mailto link; a long address breaks before its `@`. */
export function EmailLink({ email }: { email: string }) {
  const at = email.lastIndexOf("@");
  // Old records may have invalid addresses.
  if (at < 1) return email;
  return (
    <a href={`mailto:${encodeURIComponent(email.slice(0, at))}${email.slice(at)}`}>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </a>
  );
}

/** A tel link, shown as it was typed. */
export function PhoneLink({ number }: { number: string }) {
  const dialled = number.replaceAll(/[^\d+]/g, "");
  return dialled.length < 3 ? number : <a href={`tel:${dialled}`}>{number}</a>;
}
