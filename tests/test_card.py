"""The card: the first readable route before the reply, or unreadable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.card import read_card, team_key


@pytest.mark.parametrize(
    "answer",
    [
        "ROUTE: direct\n\nHello",
        "route: DIRECT\n\nHello",
        "**ROUTE: direct**\n\nHello",
        "**ROUTE:** direct\n\nHello",
        "`ROUTE: direct`\nHello",
        "> ROUTE: direct\n\nHello",
        "# ROUTE: direct\n\nHello",
        "- ROUTE: direct\n\nHello",
        "1. ROUTE: direct\n\nHello",
        '"ROUTE: direct"\n\nHello',
        "“ROUTE: direct”\n\nHello",
        "\ufeffROUTE: direct\r\n\r\nHello",
        "ROUTE\uff1a\u00a0direct\n\nHello",
        "ROUTE:\u200bdirect\n\nHello",
        "```\nROUTE: direct\n```\n\nHello",
        "```text\nROUTE: direct\n\nHello\n```",
        "---\nROUTE: direct\n---\nHello",
        "\n\n   ROUTE :  direct   \nHello",
        "ROUTE: direct\nROUTE: direct\n\nHello",
        "TEAM: billing\nROUTE: direct\n\nHello",
    ],
)
def test_a_route_is_read_in_any_dress(answer: str) -> None:
    card = read_card(answer)
    assert card.route == "direct"
    assert card.reply.strip() == "Hello"
    assert (
        answer[slice(*card.route_line)]
        .lower()
        .endswith(("direct", "direct**", "direct`", 'direct"', "direct”", "direct   "))
    )


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Hello",
        "Hello\nROUTE: direct",
        "Here is the card:\nROUTE: direct\n\nHello",
        "ROUTE: direct|escalate\n\nHello",
        "ROUTE: maybe\n\nHello",
        "ROUTE: direct please\n\nHello",
        "ROUTE direct\n\nHello",
        "REROUTE: direct\n\nHello",
        "ROUTE: direct\nROUTE: escalate\n\nHello",
        "ROUTE: escalate\n\n**ROUTE: direct**\n\nHello",
        "x" * 1_000_000,
        "\n" * 1_000_000,
    ],
)
def test_none_or_two_different_routes_before_the_reply_are_unreadable(answer: str) -> None:
    card = read_card(answer)
    assert card.route is None
    assert card.reason


def test_a_route_after_the_reply_has_begun_is_text() -> None:
    card = read_card("ROUTE: escalate\nTEAM: Dev Team\n\nHi,\nyou wrote:\nROUTE: direct")
    assert (card.route, card.team) == ("escalate", "Dev Team")
    assert card.reply == "Hi,\nyou wrote:\nROUTE: direct"


def test_the_reply_is_what_the_customer_would_read_and_its_place_is_known() -> None:
    answer = "```\nROUTE: direct\nTEAM: dev\n\nYour refund is on its way.\n```\n"
    card = read_card(answer)
    assert card.reply == "Your refund is on its way.\n"
    assert answer[card.reply_start :].startswith("Your refund")


def test_a_second_team_belongs_to_the_reply() -> None:
    card = read_card("ROUTE: escalate\nTEAM: dev\nTEAM: billing will call you\n")
    assert card.team == "dev"
    assert card.reply.startswith("TEAM: billing")


@pytest.mark.parametrize(
    ("one", "other"), [("Dev", "dev"), ("dev team", "DEV"), ("Dev\u00a0Team", "dev"), ("\uff24ev", "dev")]
)
def test_teams_are_compared_folded(one: str, other: str) -> None:
    assert team_key(one) == team_key(other)


def test_different_teams_differ() -> None:
    assert team_key("dev") != team_key("devops")


@given(st.text())
def test_any_text_is_a_card_whose_reply_is_its_own_text(answer: str) -> None:
    card = read_card(answer)
    assert answer[card.reply_start :].startswith(card.reply)


@given(st.sampled_from(["direct", "escalate"]), st.text(min_size=1))
def test_what_stands_behind_the_first_reply_line_changes_no_route(route: str, tail: str) -> None:
    assert read_card(f"ROUTE: {route}\n\nHello,\n{tail}").route == route
