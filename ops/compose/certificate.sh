#!/bin/sh
# A certificate of an authority of your own: certificate.sh SECRETS NAME HOST[,HOST…]
#
# Creates SECRETS/NAME.pem, a key and its certificate for a year; run it again to renew them. The first run also
# creates SECRETS/NAME-ca.pem, the authority that clients must trust, and SECRETS/NAME-ca.key, which you must protect.
set -eu
cd "$1"
name=$2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
umask 077
key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"; }

if [ ! -e "$name-ca.key" ]; then
  key "$name-ca.key"
  openssl req -new -x509 -key "$name-ca.key" -days 3650 -subj "/CN=$name of Fleetlog" \
    -addext keyUsage=critical,keyCertSign,cRLSign -out "$work/ca"
  cat "$work/ca" > "$name-ca.pem"
  chmod 644 "$name-ca.pem"
fi
hosts=
for host in $(printf %s "$3" | tr , ' '); do
  case $host in
    *[!0-9.]*) hosts="$hosts,DNS:$host" ;;
    *) hosts="$hosts,IP:$host" ;;
  esac
done
printf '%s\n' "subjectAltName=${hosts#,}" basicConstraints=critical,CA:FALSE subjectKeyIdentifier=hash \
  authorityKeyIdentifier=keyid:always extendedKeyUsage=serverAuth > "$work/extensions"
key "$work/key"
openssl req -new -key "$work/key" -subj "/CN=${3%%,*}" -out "$work/request"
openssl x509 -req -in "$work/request" -CA "$name-ca.pem" -CAkey "$name-ca.key" -set_serial "0x$(openssl rand -hex 16)" \
  -days 365 -extfile "$work/extensions" -out "$work/certificate" 2> "$work/said" || { cat "$work/said" >&2; exit 1; }
# Write into the existing file, which containers have mounted and reload on a signal. Like the other secrets it is
# readable for the users of containers; its folder is closed to other users.
cat "$work/key" "$work/certificate" > "$name.pem"
chmod 644 "$name.pem"
