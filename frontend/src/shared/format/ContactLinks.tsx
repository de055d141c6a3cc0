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
  return isOnePhone(number) ? <a href={`tel:${dialled(number)}`}>{number}</a> : number;
}

/**
 * Return whether a text is one phone number. Text with letters, with separators, or with more digits than a number has
 * (E.164) is something else or two numbers: a link would call a stranger.
 */
export function isOnePhone(text: string): boolean {
  return /^\+?\d{3,15}$/.test(dialled(text)) && !/\p{L}|[,;&|]| \/ /u.test(text);
}

function dialled(number: string): string {
  return number.replaceAll(/[^\d+]/g, "");
}
