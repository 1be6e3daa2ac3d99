import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinterguesser.domain.leak import GENERIC, Secret, leak

FUNCTION_WORDS = (
    "any all and are but can did for get had has her him his how its may not now off one our out she the "
    "they too two was who why yes you"
)
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)

LEAKS = [
    # hint, name, aliases, what gives it away
    ("Is it Paris? Yes.", "Paris, France", (), "Paris"),
    ("Is it near PARIS?", "Paris, France", (), "PARIS"),
    ("Is paris bigger?", "Paris, France", (), "paris"),
    ("What do Parisians eat?", "Paris, France", (), "Parisians"),
    ("Is Paris's river long?", "Paris, France", (), "Paris"),
    ("Is it the #Paris_of_the_East?", "Paris, France", (), "Paris"),
    ("Is it in **Paris**?", "Paris, France", (), "Paris"),
    ("Is it P-A-R-I-S?", "Paris, France", (), "P-A-R-I-S"),
    ("p a r i s", "Paris, France", (), "p a r i s"),
    ("Is it P.A.R.I.S. then?", "Paris, France", (), "P.A.R.I.S"),
    ("P, A, R, I, S!", "Paris, France", (), "P, A, R, I, S"),
    ("p_a_r_i_s", "Paris, France", (), "p_a_r_i_s"),
    ("Is it Par\u00adis?", "Paris, France", (), "paris"),
    # letters and sounds
    ("Does it start with the letter P?", "Paris", (), "letter P"),
    ("Is the first letter P?", "Paris", (), "first letter"),
    ("What is its first letter?", "Paris", (), "first letter"),
    ("It starts with P.", "Paris", (), "starts with P"),
    ("Does it end in S?", "Paris", (), "end in S"),
    ("Does it begin with 'p'?", "Paris", (), "begin with 'p'"),
    ("It rhymes with Harris.", "Paris", (), "rhymes"),
    ("Is it an anagram of pairs?", "Paris", (), "anagram"),
    ("Is the name 5 letters long?", "Paris", (), "5 letters"),
    ("Is it a five-letter word?", "Paris", (), "five-letter"),
    ("How many letters does it have?", "Paris", (), "How many letters"),
    ("Does it have two syllables?", "Paris", (), "syllables"),
    ("Does it start with a vowel?", "Paris", (), "vowel"),
    ("Is its name a palindrome?", "Paris", (), "palindrome"),
    ("How is it spelled?", "Paris", (), "spelled"),
    ("Is it in the first half of the alphabet?", "Paris", (), "half of the alphabet"),
    # diacritics and scripts
    ("Is it Sao Paulo?", "São Paulo, Brazil", (), "Sao Paulo"),
    ("Is it Łódź?", "Lodz", (), "Łódź"),
    ("Is it Lodz?", "Łódź, Poland", (), "Lodz"),
    ("Живут ли в Москве?", "Москва", (), "Москве"),
    ("北京市在哪里?", "Beijing, China", ("北京",), "北京"),
    ("서울은 어디?", "서울", (), "서울"),
    ("هل هي والقاهرة؟", "القاهرة", (), "القاهرة"),
    # one word of several
    ("Is York its name?", "New York City", (), "York"),
    ("Is it in Mexico?", "Mexico City, Mexico", (), "Mexico"),
    ("Is it a Mexican town?", "Mexico City, Mexico", (), "Mexican"),
    ("Was Minh a leader?", "Ho Chi Minh City", (), "Minh"),
    ("Does Eiffel's firm own it?", "Eiffel Tower", (), "Eiffel"),
    ("Is the red sea near?", "Red Sea", (), "red sea"),
    ("Redsea?", "Red Sea", (), "Redsea"),
    ("Do people make coffee with it?", "coffee machine", (), "coffee"),
    ("Can you wash clothes in it?", "washing machine", (), "wash"),
    ("Is Rio far?", "Rio de Janeiro, Brazil", ("Rio",), "Rio"),
    # aliases
    ("Is it the Big Apple?", "New York City", ("The Big Apple",), "Big Apple"),
    ("Is it NYC?", "New York City", ("NYC",), "NYC"),
    ("Is it nyc?", "New York City", ("NYC",), "nyc"),
    ("Do you watch TV with it?", "television", ("TV",), "TV"),
    ("Were TVs dear?", "television", ("TV",), "TVs"),
    ("Is it T.V.?", "television", ("TV",), "T.V"),
    ("Is LA big?", "Los Angeles", ("LA",), "LA"),
    ("Was Buitenzorg its name?", "Bogor, Indonesia", ("Buitenzorg, Dutch East Indies",), "Buitenzorg"),
    # stems, plurals, compounds
    ("Do cars need it?", "car", (), "cars"),
    ("Is it a car's part?", "car", (), "car"),
    ("Is it a knife?", "knives", (), "knife"),
    ("Are knives sharp?", "knife", (), "knives"),
    ("Do ants eat?", "ant", (), "ants"),
    ("Are toothbrushes new?", "toothbrush", (), "toothbrushes"),
    ("Is it a tooth brush?", "toothbrush", (), "tooth brush"),
    ("Is it a tooth-brush?", "toothbrush", (), "tooth-brush"),
    ("Is it a toothbrush?", "tooth brush", (), "toothbrush"),
    ("Was it televised?", "television", (), "televised"),
    ("Is it for computing?", "computer", (), "computing"),
    ("Is he a pianist?", "piano", (), "pianist"),
    ("Is he a violinist?", "violin", (), "violinist"),
    ("Is it a Roman town?", "Rome, Italy", (), "Roman"),
    ("Is it on a wheelchair's armchairs?", "chair", ("armchair",), "armchairs"),
    ("Are minibottles sold?", "bottle", (), "minibottles"),
    ("Is it the planet Mercury?", "Mercury (planet)", (), "Mercury"),
    # ordinary words
    ("Is it Nice?", "Nice, France", (), "Nice"),
    ("IS IT NICE?", "Nice, France", (), "NICE"),
    ("Is it orange?", "orange", (), "orange"),
    ("Is it a river?", "river", (), "river"),
]

FAIR = [
    ("", "Paris", ()),
    ("Is it in France?", "Paris, France", ()),
    ("Is there a parish church?", "Paris, France", ()),
    ("By comparison, is it big?", "Paris, France", ()),
    ("Is it a car part, or a carpet?", "Paris", ("Pa",)),
    ("Is it a carpet?", "car", ()),
    ("Does it leave a scar?", "car", ()),
    ("Do people care?", "car", ()),
    ("Is it a plant?", "ant", ()),
    ("Is it romantic?", "Rome, Italy", ()),
    ("Is it in Romania?", "Rome, Italy", ()),
    ("Is it in a category of its own?", "cat", ()),
    ("Is it a nice place?", "Nice, France", ()),
    ("Do people like reading there?", "Reading, United Kingdom", ()),
    ("Is it a new city?", "New York City", ()),
    ("Is it a city?", "Ho Chi Minh City", ()),
    ("Is it a machine?", "washing machine", ()),
    ("Is it a tower?", "Eiffel Tower", ()),
    ("Is it red?", "Red Sea", ()),
    ("Is it a planet?", "Mercury (planet)", ()),
    ("Is la playa far?", "Los Angeles", ("LA",)),
    ("Is it in the US?", "It", ()),
    ("Is it about us?", "United States", ("US",)),
    ("Does it start with a key?", "car", ()),
    ("Does it start with an engine? A good one.", "car", ()),
    ("Do you write letters with it?", "pen", ()),
    ("Is it a love letter? I wonder.", "pen", ()),
    ("Does the country use the Latin alphabet?", "Paris", ()),
    ("Is it essential?", "Essen, Germany", ()),
    ("Is it made of cloth?", "clothes", ()),
    ("Is it in the U.K. or the U.S.?", "Paris", ()),
    ("I am a b c learner.", "Paris", ()),
    ("Does it end in a square?", "street lamp", ()),
    ("Is it a stable?", "table", ()),
    ("Was it finished in A.D. 1200?", "Rome", ()),
]


@pytest.mark.parametrize(("text", "name", "aliases", "words"), LEAKS)
def test_a_hint_that_gives_the_secret_away_is_caught_with_the_words(text, name, aliases, words):
    assert leak(text, name, aliases) == words


@pytest.mark.parametrize(("text", "name", "aliases"), FAIR)
def test_a_fair_hint_passes(text, name, aliases):
    assert leak(text, name, aliases) is None


def test_a_compiled_secret_says_the_same_for_every_hint():
    for text, name, aliases, words in LEAKS:
        assert Secret(name, aliases).leak_in(text) == words


def test_generic_words_are_lower_case():
    assert all(word == word.lower() for word in GENERIC)


@given(ANY_TEXT, ANY_TEXT, st.lists(ANY_TEXT, max_size=2))
@settings(max_examples=150, deadline=None)
def test_no_text_makes_it_raise(text, name, aliases):
    found = leak(text, name, aliases)
    assert found is None or isinstance(found, str)


@given(
    st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=12),
    st.sampled_from(["Is it {}?", "{}", "A {}!", '"{}"']),
)
@settings(max_examples=150, deadline=None)
def test_a_name_of_one_word_always_leaks_in_any_case(name, sentence):
    if name not in FUNCTION_WORDS:
        assert leak(sentence.format(name), name) is not None
        assert leak(sentence.format(name.upper()), name) is not None
        assert leak(sentence.format("-".join(name)), name) is not None
