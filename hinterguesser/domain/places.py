"""What may follow a name after a comma: countries, their other names, and regions of some of them."""

from __future__ import annotations

from hinterguesser.domain.spelling import joined, normalise

_COUNTRY_NAMES = (
    "Afghanistan;Albania;Algeria;Andorra;Angola;Antigua and Barbuda;Argentina;Armenia;Australia;Austria;"
    "Azerbaijan;Bahamas;Bahrain;Bangladesh;Barbados;Belarus;Belgium;Belize;Benin;Bhutan;Bolivia;"
    "Bosnia and Herzegovina;Botswana;Brazil;Brunei;Bulgaria;Burkina Faso;Burundi;Cambodia;Cameroon;Canada;"
    "Cape Verde;Central African Republic;Chad;Chile;China;Colombia;Comoros;Republic of the Congo;"
    "Democratic Republic of the Congo;Congo;Costa Rica;Croatia;Cuba;Cyprus;Czech Republic;Denmark;Djibouti;"
    "Dominica;Dominican Republic;East Timor;Ecuador;Egypt;El Salvador;Equatorial Guinea;Eritrea;Estonia;"
    "Eswatini;Ethiopia;Fiji;Finland;France;Gabon;Gambia;Georgia;Germany;Ghana;Greece;Greenland;Grenada;"
    "Guatemala;Guinea;Guinea-Bissau;Guyana;Haiti;Honduras;Hong Kong;Hungary;Iceland;India;Indonesia;Iran;"
    "Iraq;Ireland;Israel;Italy;Ivory Coast;Jamaica;Japan;Jordan;Kazakhstan;Kenya;Kiribati;Kosovo;Kuwait;"
    "Kyrgyzstan;Laos;Latvia;Lebanon;Lesotho;Liberia;Libya;Liechtenstein;Lithuania;Luxembourg;Macau;"
    "Madagascar;Malawi;Malaysia;Maldives;Mali;Malta;Marshall Islands;Mauritania;Mauritius;Mexico;Micronesia;"
    "Moldova;Monaco;Mongolia;Montenegro;Morocco;Mozambique;Myanmar;Namibia;Nauru;Nepal;Netherlands;"
    "New Zealand;Nicaragua;Niger;Nigeria;North Korea;North Macedonia;Norway;Oman;Pakistan;Palau;Palestine;"
    "Panama;Papua New Guinea;Paraguay;Peru;Philippines;Poland;Portugal;Puerto Rico;Qatar;Romania;Russia;"
    "Rwanda;Saint Kitts and Nevis;Saint Lucia;Saint Vincent and the Grenadines;Samoa;San Marino;"
    "Sao Tome and Principe;Saudi Arabia;Senegal;Serbia;Seychelles;Sierra Leone;Singapore;Slovakia;Slovenia;"
    "Solomon Islands;Somalia;South Africa;South Korea;South Sudan;Spain;Sri Lanka;Sudan;Suriname;Sweden;"
    "Switzerland;Syria;Taiwan;Tajikistan;Tanzania;Thailand;Togo;Tonga;Trinidad and Tobago;Tunisia;Turkey;"
    "Turkmenistan;Tuvalu;Uganda;Ukraine;United Arab Emirates;United Kingdom;United States;Uruguay;Uzbekistan;"
    "Vanuatu;Vatican City;Venezuela;Vietnam;Yemen;Zambia;Zimbabwe"
)
_SAME_PLACE = (
    "USA=United States;US=United States;United States of America=United States;America=United States;"
    "UK=United Kingdom;Great Britain=United Kingdom;Britain=United Kingdom;UAE=United Arab Emirates;"
    "Czechia=Czech Republic;Turkiye=Turkey;Burma=Myanmar;Korea=South Korea;Republic of Korea=South Korea;"
    "Viet Nam=Vietnam;Russian Federation=Russia;Cote d'Ivoire=Ivory Coast;Timor-Leste=East Timor;Macao=Macau;"
    "Swaziland=Eswatini;Holland=Netherlands;DR Congo=Democratic Republic of the Congo;Cabo Verde=Cape Verde;"
    "DRC=Democratic Republic of the Congo;Macedonia=North Macedonia;PRC=China;"
    "People's Republic of China=China"
)
_REGION_NAMES = {
    "United States": (
        "Alabama=AL;Alaska=AK;Arizona=AZ;Arkansas=AR;California=CA;Colorado=CO;Connecticut=CT;Delaware=DE;"
        "Florida=FL;Georgia=GA;Hawaii=HI;Idaho=ID;Illinois=IL;Indiana=IN;Iowa=IA;Kansas=KS;Kentucky=KY;"
        "Louisiana=LA;Maine=ME;Maryland=MD;Massachusetts=MA;Michigan=MI;Minnesota=MN;Mississippi=MS;"
        "Missouri=MO;Montana=MT;Nebraska=NE;Nevada=NV;New Hampshire=NH;New Jersey=NJ;New Mexico=NM;"
        "New York=NY;North Carolina=NC;North Dakota=ND;Ohio=OH;Oklahoma=OK;Oregon=OR;Pennsylvania=PA;"
        "Rhode Island=RI;South Carolina=SC;South Dakota=SD;Tennessee=TN;Texas=TX;Utah=UT;Vermont=VT;"
        "Virginia=VA;Washington=WA;West Virginia=WV;Wisconsin=WI;Wyoming=WY;District of Columbia=DC"
    ),
    "Canada": (
        "Alberta=AB;British Columbia=BC;Manitoba=MB;New Brunswick=NB;Newfoundland and Labrador=NL;"
        "Nova Scotia=NS;Ontario=ON;Prince Edward Island=PEI;Quebec=QC;Saskatchewan=SK"
    ),
    "United Kingdom": "England;Scotland;Wales;Northern Ireland",
    "Australia": "New South Wales=NSW;Queensland=QLD;South Australia;Tasmania;Victoria;Western Australia",
    "India": (
        "Andhra Pradesh;Assam;Bihar;Goa;Gujarat;Haryana;Karnataka;Kerala;Madhya Pradesh;Maharashtra;Odisha;"
        "Punjab;Rajasthan;Tamil Nadu;Telangana;Uttar Pradesh;Uttarakhand;West Bengal"
    ),
}


def _place_key(text: str) -> str:
    return joined(normalise(text))


COUNTRIES = frozenset(_place_key(country) for country in _COUNTRY_NAMES.split(";"))
_SYNONYMS: dict[str, str] = {}
for _pair in _SAME_PLACE.split(";"):
    _SYNONYMS[_place_key(_pair.partition("=")[0])] = _place_key(_pair.partition("=")[2])
COUNTRY_OF: dict[str, str] = {}
for _country, _regions in _REGION_NAMES.items():
    for _region, _, _letters in (pair.partition("=") for pair in _regions.split(";")):
        COUNTRY_OF[_place_key(_region)] = _place_key(_country)
        if _letters:
            _SYNONYMS[_place_key(_letters)] = _place_key(_region)


def qualifier(text: str) -> str:
    """Return what `text` says after a comma, in one spelling and under the usual name of the place."""
    key = _place_key(text)
    return _SYNONYMS.get(key, key)


def _meaning(qualifiers: tuple[str, ...]) -> set[str]:
    """Return the qualifiers and the countries they imply: "oregon" says "unitedstates" too."""
    return {*qualifiers, *(COUNTRY_OF[one] for one in qualifiers if one in COUNTRY_OF)}


def agree(guessed: tuple[str, ...], named: tuple[str, ...]) -> bool:
    """One says no more than the other; and what the guess says more ends in a place the name speaks of."""
    ours, theirs = _meaning(guessed), _meaning(named)
    if ours <= theirs:
        return True
    return theirs <= ours and (guessed[-1] in theirs or COUNTRY_OF.get(guessed[-1]) in theirs)


def is_place(qualifier: str) -> bool:
    """Return whether a qualifier is a country, or a region that is known."""
    return qualifier in COUNTRIES or qualifier in COUNTRY_OF
