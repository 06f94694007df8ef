"""Makes the certificates of the download tests: an authority that nobody trusts, and a server at 127.0.0.1 that it vouches for.

    python3 scripts/tls_fixtures.py        # needs the package `cryptography`; the authority's key is thrown away
"""

import datetime
import ipaddress
import pathlib

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

FOLDER = pathlib.Path(__file__).parent.parent / "crates/farhop-data/tests/fixtures/tls"
FROM, UNTIL = datetime.datetime(2020, 1, 1), datetime.datetime(2120, 1, 1)


def certificate(name, key, issuer, issuer_key, *extensions):
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(FROM)
        .not_valid_after(UNTIL)
    )
    for extension in extensions:
        builder = builder.add_extension(extension, critical=False)
    return builder.sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    authority, server = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    name = "farhop test authority"
    of_authority = x509.BasicConstraints(ca=True, path_length=None)
    (FOLDER / "authority.pem").write_bytes(certificate(name, authority, name, authority, of_authority))
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    use = x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH])
    (FOLDER / "server.pem").write_bytes(certificate("farhop test server", server, name, authority, address, use))
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (FOLDER / "server.key").write_bytes(server.private_bytes(pem, pkcs8, serialization.NoEncryption()))


main()
