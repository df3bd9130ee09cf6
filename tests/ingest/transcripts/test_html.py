"""HTML transcripts."""

from __future__ import annotations

from tests.ingest.transcripts.cases import parse, rows


def test_cite_time_and_paragraphs() -> None:
    source = """<!-- <p>no</p> --><html><head><title>Page</title><style>p {}</style></head><body>
    <cite>Ada:</cite><time>0:05</time><p>It&#39;s <b>so</b><br>good &amp; new</p>
    <p>More.</p><script>if (a < b) "<p>no</p>"</script>
    <cite>Bob</cite>\n<time>1:02:03</time>\n<p>Yes</p><cite>Ad:</cite><p>Buy</p></body></html>"""
    parsed = parse(source)
    assert parsed.format == "html"
    assert parsed.repairs == ()
    assert rows(source) == [
        (5, None, "Ada", "It's so"),
        (None, None, "Ada", "good & new"),
        (None, None, "Ada", "More."),
        (3723, None, "Bob", "Yes"),
        (None, None, None, "Buy"),
    ]
    assert parsed.cues[-1].kind == "ad"


def test_paragraphs_with_names() -> None:
    source = "<html><body><header>x</header><p><strong>Ada Byron:</strong> Hi</p><p>More</p>"
    source += "<p>Bob (00:01:00): Ho</p><p>Bob: again</p></body>"
    assert rows(source)[1:] == [
        (None, None, "Ada Byron", "Hi"),
        (None, None, "Ada Byron", "More"),
        (60, None, "Bob", "Ho"),
        (None, None, "Bob", "again"),
    ]
