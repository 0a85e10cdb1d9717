"""British spellings of common words, and their American ones: a record and an answer need not agree on them."""

from __future__ import annotations

_PAIRS = """
    anaesthesia anesthesia  anaesthetic anesthetic  behaviour behavior  behavioural behavioral  behaviours behaviors
    cancelled canceled  centre center  centres centers  cheque check  colour color  colours colors  counsellor counselor
    counsellors counselors  enquiry inquiry  enquiries inquiries  favourite favorite  favourites favorites  fibre fiber
    flavour flavor  flavours flavors  grey gray  gynaecologist gynecologist  gynaecology gynecology  harbour harbor  honour honor
    humour humor  jewellery jewelry  kilometre kilometer  kilometres kilometers  labour labor  licence license  litre liter
    litres liters  metre meter  metres meters  neighbour neighbor  neighbours neighbors  neighbourhood neighborhood
    oestrogen estrogen  organisation organization  organisations organizations  orthopaedic orthopedic  orthopaedics orthopedics
    paediatric pediatric  paediatrics pediatrics  paediatrician pediatrician  practise practice  programme program
    programmes programs  specialise specialize  specialised specialized  specialises specializes  theatre theater
    theatres theaters  traveller traveler  travellers travelers  tyre tire  tyres tires
"""
_WORDS = _PAIRS.split()

SPELLINGS = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))
