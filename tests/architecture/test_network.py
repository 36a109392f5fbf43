"""The tests cannot leave this machine."""

import asyncio
import socket

import pytest


def test_an_address_elsewhere_is_refused():
    with socket.socket() as link, pytest.raises(RuntimeError, match=r"connect to '192\.0\.2\.1'"):
        link.connect(("192.0.2.1", 80))


def test_a_name_elsewhere_is_not_looked_up():
    with pytest.raises(RuntimeError, match=r"getaddrinfo to 'example\.com'"):
        socket.create_connection(("example.com", 80))


def test_a_datagram_elsewhere_is_refused():
    link = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    with link, pytest.raises(RuntimeError, match="sendto to '2001:db8::1'"):
        link.sendto(b"hello", ("2001:db8::1", 9))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_is_reached(host: str):
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection((host, server.getsockname()[1])) as link:
            link.sendall(b"hello")
            accepted, _ = server.accept()
        with accepted:
            assert accepted.recv(5) == b"hello"


def test_a_server_within_the_test_is_reached_from_asyncio():
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readline())
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async def ask() -> bytes:
        async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"hello\n")
            line = await reader.readline()
            writer.close()
            await writer.wait_closed()
            return line

    assert asyncio.run(ask()) == b"hello\n"
