"""A server that is reached by TCP is asked by TLS that checks who it is, or not at all."""

import contextlib
import shutil
import socket
import ssl
import subprocess
import threading

import pytest

from ralph_mem.maintenance.team import exchange, server
from tests.maintenance.team.servers import TEAM
from tests.maintenance.team.test_wire import PORT

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed, so no certificate can be made")
WANTS_TLS = (8).to_bytes(4, "big") + (80877103).to_bytes(4, "big")  # the first message of a client that does


def certificate(folder, name, host):
    """Make a certificate of a host that is its own authority; returns its file, beside which its key lies."""
    made = folder / f"{name}.pem"
    order = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{host}"]
    subprocess.run([*order.split(), *names, "-keyout", made.with_suffix(".key"), "-out", made], check=True, capture_output=True)
    return made


class Front:
    """Stands before a server on a port of this machine: speaks TLS with who comes, and hands on what that says."""

    def __init__(self, behind, shown):
        self.behind, self.heard = behind, bytearray()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if shown else None
        if shown:
            self.context.load_cert_chain(shown, shown.with_suffix(".key"))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with contextlib.suppress(OSError), client, socket.socket(socket.AF_UNIX) as real:
            assert client.recv(8) == WANTS_TLS
            client.sendall(b"S" if self.context else b"N")
            if not self.context:
                self.heard += client.recv(65_536)
                return
            with self.context.wrap_socket(client, server_side=True) as safe:
                real.connect(str(self.behind))
                threading.Thread(target=self._copy, args=(real, safe), daemon=True).start()
                self._copy(safe, real, self.heard)

    @staticmethod
    def _copy(source, target, heard=None):
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if heard is not None:
                    heard += data
                target.sendall(data)


@pytest.fixture
def a_front(a_server):
    """Return what puts a front before the server that shows a certificate, or that speaks no TLS; and the address by it."""
    made = []

    def front(shown, trusted, host="localhost"):
        made.append(Front(a_server.socket / PORT, shown))
        return made[-1], f"host={host} port={made[-1].port} dbname={a_server.name} user=walt sslrootcert={trusted}"

    yield front
    for each in made:
        each.listener.close()


def test_a_server_with_the_right_certificate_and_name_is_asked(a_front, tmp_path):
    mine = certificate(tmp_path, "mine", "localhost")
    front, address = a_front(mine, mine)
    assert exchange.role_of(address, TEAM) == "writer" and b"ralph_mem.member" in front.heard


def test_a_server_whose_certificate_nobody_trusts_hears_nothing(a_front, tmp_path):
    mine, other = [certificate(tmp_path, name, "localhost") for name in ("mine", "other")]
    front, address = a_front(other, mine)
    with pytest.raises(server.ServerError, match="certificate verify failed"):
        exchange.role_of(address, TEAM)
    assert front.heard == b""


def test_a_server_of_another_name_hears_nothing(a_front, tmp_path):
    theirs = certificate(tmp_path, "theirs", "db.example.org")
    front, address = a_front(theirs, theirs)
    with pytest.raises(server.ServerError, match="does not match host name"):
        exchange.role_of(address, TEAM)
    assert front.heard == b""


def test_a_server_without_tls_hears_nothing(a_front, tmp_path):
    mine = certificate(tmp_path, "mine", "localhost")
    front, address = a_front(None, mine)
    with pytest.raises(server.ServerError, match="does not support SSL"):
        exchange.role_of(address, TEAM)
    assert front.heard == b""
