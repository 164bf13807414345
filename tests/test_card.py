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
        "TEAM:\nROUTE: direct\n\nHello",
        "~~~~plain-text\nROUTE: direct\n~~~~\nHello",
        "``` text\nROUTE: direct\n```\nHello",
        "````markdown\nROUTE: direct\n````\nHello",
        "\n" * 100 + "ROUTE: direct\n\nHello",
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
        "ROUTE: D\u0130RECT\n\nHello",
        "ROUTE: d\u0131rect\n\nHello",
        "ROUTE: direct\n" * 60 + "ROUTE: escalate\n\nHello",
        "ROUTE: direct" + " " * 300 + "and a full refund\nHello",
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


@pytest.mark.parametrize(
    "line",
    ["-" * 200 + "you get a refund", " " * 300 + "refund", "\u200b" * 300 + "refund", "*" * 300 + "refund",
     "Team: your refund is on its way to you now"],
)  # fmt: skip
def test_a_long_line_or_a_sentence_is_the_replys_and_is_searched(line: str) -> None:
    card = read_card(f"ROUTE: direct\n{line}\nBye")
    assert (card.route, card.team) == ("direct", None)
    assert "refund" in card.reply


@pytest.mark.parametrize(
    "team", ["tier_2", "dev_ops", "tier#2", "a|b", "Women's shop", "Acme Inc.", "Second Line Support"]
)
def test_marks_inside_a_team_are_part_of_its_name(team: str) -> None:
    for line in (team, f"**{team}**", f"`{team}`", f"the {team} team"):
        assert team_key(read_card(f"ROUTE: escalate\nTEAM: {line}\n\nHi").team) == team_key(team)


@pytest.mark.parametrize("team", ["none", "n/a", "N/A", "-", "", "unknown", "**none**"])
def test_no_team_is_no_team(team: str) -> None:
    assert read_card(f"ROUTE: escalate\nTEAM: {team}\n\nHi").team is None


@pytest.mark.parametrize("team", ["the dev team", "dev-team", "dev!", "[dev]", "Dev.", "(dev)", "*dev*"])
def test_one_team_is_itself_in_any_dress(team: str) -> None:
    assert team_key(read_card(f"ROUTE: escalate\nTEAM: {team}\n\nHi").team) == "dev"


def test_a_team_named_twice_is_one_and_two_teams_are_unreadable() -> None:
    card = read_card("ROUTE: escalate\nTEAM: dev\nTeam: the Dev team\n\nHi")
    assert (card.route, card.team, card.reply.strip()) == ("escalate", "dev", "Hi")
    card = read_card("ROUTE: escalate\nTEAM: dev\nTEAM: billing\n\nHi")
    assert (card.route, card.team, card.reply.strip()) == (None, None, "Hi")
    assert card.reason == "two different teams stand before the reply"


def test_no_team_beside_a_team_is_no_second_one() -> None:
    card = read_card("ROUTE: escalate\nTEAM: none\nTEAM: dev\n\nHi")
    assert (card.route, card.team) == ("escalate", "dev")


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


@pytest.mark.parametrize("team", ["no team", "None", "n/a", "-", "no", "the no team", "TBD"])
def test_a_team_that_is_none_is_no_team(team: str) -> None:
    assert read_card(f"ROUTE: escalate\nTEAM: {team}\n\nHello").team is None
