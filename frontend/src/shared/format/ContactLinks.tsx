/** An e-mail address to write to; where it has no room on one line, it is broken before its `@`. */
export function EmailLink({ email }: { email: string }) {
  const at = email.lastIndexOf("@");
  // What is no address, as old records may have it, leads nowhere.
  if (at < 1) return email;
  return (
    <a href={`mailto:${encodeURIComponent(email.slice(0, at))}${email.slice(at)}`}>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </a>
  );
}

/** A telephone number to call, written as it was typed. */
export function PhoneLink({ number }: { number: string }) {
  const dialled = number.replaceAll(/[^\d+]/g, "");
  return dialled.length < 3 ? number : <a href={`tel:${dialled}`}>{number}</a>;
}
