"""Python with this folder on its path reaches this machine alone: any other address is an error."""

import socket

_connect = socket.socket.connect
HERE = ("127.", "localhost", "::1")


def connect(self, address):
    if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(HERE):
        raise OSError(f"no network in this test: {address}")
    return _connect(self, address)


socket.socket.connect = connect
