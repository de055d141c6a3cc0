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
  // Letters, and more digits than a number has (E.164), are something else or two numbers: a link would call a stranger.
  const isNumber = /^\+?\d{3,15}$/.test(dialled) && !/\p{L}/u.test(number);
  return isNumber ? <a href={`tel:${dialled}`}>{number}</a> : number;
}
