"""Files that are neither UTF-8 nor marked: Latin ones are cp1252, other scripts are told by what they hold."""

from __future__ import annotations

import pytest

from agentharness.corpus.encoding import first_word, guess
from agentharness.corpus.text import decode

CYRILLIC = (
    "id,text\n1,Москва является столицей Российской Федерации и крупнейшим городом страны\n"
    "2,Санкт-Петербург стоит на берегу Невы\n3,Волга впадает в Каспийское море\n"
)


@pytest.mark.parametrize(
    "text",
    [
        "name,place\n1,España\n2,Logroño\n3,Iñapari\n",
        "q,a\nWhere?,Genève\nThere?,là-bas\n",
        "id,t\n1,Ação\n",
        "España",
        "id,t\n1,Müller\n2,Straße\n",
        "id,price\n1,€ 5\n2,“quoted” text — dash\n",
        "id,t\n1,naïve café\n" * 3,
        "id,t\n" + "".join(f"{i},Übung macht den Meister, sagt Jürgen aus Köln\n" for i in range(200)),
    ],
)
def test_latin_files_are_read_as_cp1252(text: str) -> None:
    notes: list[str] = []
    assert decode(text.encode("cp1252"), "a.csv", None, notes.append) == text
    assert len(notes) == 1
    assert notes[0].startswith("a.csv: is not UTF-8, read as cp1252: '")


def test_the_note_shows_the_first_word_as_it_was_read_and_the_key_that_changes_it() -> None:
    notes: list[str] = []
    decode("id,place\n1,Paris\n2,Logroño\n3,Iñapari\n".encode("latin-1"), "a.csv", None, notes.append)
    assert notes == ["a.csv: is not UTF-8, read as cp1252: 'Logroño' (change with encoding:)"]
    assert first_word("a b") == ""
    assert first_word("x " + "é" * 90) == "é" * 40


def test_a_byte_that_cp1252_leaves_undefined_is_latin_1() -> None:
    assert guess(b"a,b\n1,caf\xe9 \x81\n") == "latin-1"
    assert decode(b"a,b\n1,caf\xe9 \x81\n", "a.csv", None, lambda _: None) == "a,b\n1,caf\xe9 \x81\n"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1251", CYRILLIC),
        ("koi8_r", CYRILLIC),
        ("shift_jis", "id,text\n1,東京は日本の首都です。\n2,富士山は日本で一番高い山です。\n"),
        ("shift_jis", "id,text\n1,iPhoneの価格は安い。\n2,Webサイトを見る。\n3,Tシャツを着る。\n"),
        ("euc_jp", "id,text\n1,東京は日本の首都です。\n2,富士山は日本で一番高い山です。\n"),
        ("gb18030", "id,text\n1,北京是中国的首都。\n2,上海是中国最大的城市。\n"),
        ("big5", "id,text\n1,台北是臺灣的首都。\n2,高雄是南部最大的城市。\n"),
        ("euc_kr", "id,text\n1,서울은 대한민국의 수도이다\n"),
        ("cp1253", "id,text\n1,Η Αθήνα είναι η πρωτεύουσα της Ελλάδας\n2,Η Θεσσαλονίκη είναι μεγάλη πόλη\n"),
        ("cp1255", "id,text\n1,ירושלים היא בירת ישראל\n2,תל אביב היא עיר גדולה\n"),
        ("cp1256", "id,text\n1,القاهرة هي عاصمة مصر\n2,دمشق مدينة قديمة جدا\n"),
        ("cp874", "id,text\n1,กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย\n"),
        ("utf-16-le", "id,text\n1,España\n2,Логроньо\n"),
    ],
)
def test_other_scripts_are_still_told(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding), "a.csv", None, lambda _: None) == text
