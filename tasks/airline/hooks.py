"""What task.yaml cannot say of the airline's tools: bookings whose parts are worked out one by one, and checks with an answer of their own each.

The tools do what the recorded ones did, their oddities included (README.md). An unknown name is `missing`; what the rules of the airline refuse is shown.
"""

from __future__ import annotations

import json
from typing import Any

JsonDict = dict[str, Any]
Effects = list[JsonDict]
NUMBERS = ("HATHAT", "HATHAU", "HATHAV")
"""Reservation ids that are given out, in turn."""
NOW = "2024-05-15T15:00:00"
"""The policy's current time."""
BAG, INSURANCE = 50, 30
"""Dollars for a paid bag, and for one passenger's insurance."""


def cancel(view: JsonDict, _answers: list[Any]) -> Effects:
    """Every payment is paid back, and the reservation is marked."""
    key = view["args"]["reservation_id"]
    booked = view["look"]("reservations", key)
    if booked is None:
        return _missing("reservation not found")
    back = [{"payment_id": paid["payment_id"], "amount": -paid["amount"]} for paid in booked["payment_history"]]
    return _changed(booked, {"payment_history": booked["payment_history"] + back, "status": "cancelled"})


def bags(view: JsonDict, _answers: list[Any]) -> Effects:
    """More paid bags cost; fewer give nothing back."""
    args = view["args"]
    booked = view["look"]("reservations", args["reservation_id"])
    if booked is None:
        return _missing("reservation not found")
    price = BAG * max(0, args["nonfree_baggages"] - booked["nonfree_baggages"])
    paid = _charge(view, booked, args["payment_id"], price)
    return paid if _refused(paid) else paid + _changed(booked, {name: args[name] for name in ("total_baggages", "nonfree_baggages")}, args["payment_id"], price)


def rebook(view: JsonDict, _answers: list[Any]) -> Effects:
    """A flight that stays, in the same cabin, keeps its price; all others cost what they cost now. The difference is paid, or paid back."""
    args = view["args"]
    booked = view["look"]("reservations", args["reservation_id"])
    if booked is None:
        return _missing("reservation not found")
    heads = len(booked["passengers"])
    legs: Effects = []
    for wanted in args["flights"]:
        same = (old for old in booked["flights"] if (old["flight_number"], old["date"]) == (wanted["flight_number"], wanted["date"]))
        leg = next(same, None) if args["cabin"] == booked["cabin"] else None
        if leg is None:
            leg = _leg(view, wanted, args["cabin"], heads)
        if _refused([leg]):
            return [leg]
        legs.append(leg)
    price = heads * (sum(leg["price"] for leg in legs) - sum(old["price"] for old in booked["flights"]))
    paid = _charge(view, booked, args["payment_id"], price)
    return paid if _refused(paid) else paid + _changed(booked, {"flights": legs}, args["payment_id"], price)


def book(view: JsonDict, _answers: list[Any]) -> Effects:
    """A new reservation. Certificates are used up whole, gift cards lose what is paid."""
    args = view["args"]
    user = view["look"]("users", args["user_id"])
    if user is None:
        return _missing("user not found")
    key = next((number for number in NUMBERS if view["look"]("reservations", number) is None), None)
    if key is None:
        return _no(f"no more than {len(NUMBERS)} reservations can be made")
    heads = len(args["passengers"])
    legs: Effects = []
    for wanted in args["flights"]:
        leg = _leg(view, wanted, args["cabin"], heads)
        if _refused([leg]):
            return [leg]
        legs.append(leg)
    price = heads * (sum(leg["price"] for leg in legs) + (INSURANCE if args["insurance"] == "yes" else 0)) + BAG * args["nonfree_baggages"]
    methods = user["payment_methods"]
    for payment in args["payment_methods"]:
        method = methods.get(payment["payment_id"])
        if method is None:
            return _missing(f"payment method {payment['payment_id']} not found")
        if method["source"] != "credit_card" and method["amount"] < payment["amount"]:
            return _no(f"not enough balance in payment method {payment['payment_id']}")
    paid = sum(payment["amount"] for payment in args["payment_methods"])
    if paid != price:
        return _no(f"payment amount does not add up, total price is {price}, but paid {paid}")
    for payment in args["payment_methods"]:
        method = methods.get(payment["payment_id"])
        if method is None or method["source"] == "certificate":
            methods = {name: other for name, other in methods.items() if name != payment["payment_id"]}
        elif method["source"] == "gift_card":
            methods = {**methods, payment["payment_id"]: {**method, "amount": method["amount"] - payment["amount"]}}
    names = ("user_id", "origin", "destination", "flight_type", "cabin")
    made = {name: args[name] for name in names} | {"flights": legs, "passengers": args["passengers"], "payment_history": args["payment_methods"]}
    made |= {"created_at": NOW} | {name: args[name] for name in ("total_baggages", "nonfree_baggages", "insurance")}
    return [
        {"add": ["reservations", key, made]},
        {"edit": ["users", args["user_id"], {"payment_methods": methods, "reservations": [*user["reservations"], key]}]},
        {"show": json.dumps({"reservation_id": key, **made})},
    ]


def onestop(view: JsonDict, _answers: list[Any]) -> Effects:
    """Pairs of flights, the second from where the first arrives, no earlier than it does. Seats and prices of both are those of the first day."""
    args = view["args"]
    date = args["date"]
    found = []
    for first in args["first"]:
        lands, today = first["scheduled_arrival_time_est"], first["dates"].get(date)
        for second in args["second"]:
            if second["origin"] != first["destination"] or lands > second["scheduled_departure_time_est"]:
                continue
            day = _next(date) if "+1" in lands else date
            if all(there is not None and there["status"] == "available" for there in (today, second["dates"].get(day))):
                found.append([_on(first, date, date), _on(second, date, day)])
    return [{"show": json.dumps(found)}]


def _on(flight: JsonDict, priced: str, day: str) -> JsonDict:
    return {**{name: value for name, value in flight.items() if name != "dates"}, **flight["dates"].get(priced, {}), "date": day}


def _next(date: str) -> str:
    """The day after, within a month: the flights are all of May 2024."""
    month, _, day = date.rpartition("-")
    return f"{month}-{int(day) + 1:02}" if day.isdecimal() else ""


def _leg(view: JsonDict, wanted: JsonDict, cabin: str, heads: int) -> JsonDict:
    """The flight with its price for one, or the effect that says why there is none."""
    number, date = wanted["flight_number"], wanted["date"]
    flight = view["look"]("flights", number)
    if flight is None:
        return _missing(f"flight {number} not found")[0]
    day = flight["dates"].get(date)
    if day is None:
        return _missing(f"flight {number} not found on date {date}")[0]
    if day["status"] != "available":
        return _no(f"flight {number} not available on date {date}")[0]
    if day["available_seats"][cabin] < heads:
        return _no(f"not enough seats on flight {number}")[0]
    return {"flight_number": number, "date": date, "price": day["prices"][cabin], "origin": flight["origin"], "destination": flight["destination"]}


def _charge(view: JsonDict, booked: JsonDict, method_id: str, price: int) -> Effects:
    """Takes `price` from a gift card, if the method is one; a refusal where it cannot be paid so."""
    owner = view["look"]("users", booked["user_id"])
    methods = {} if owner is None else owner["payment_methods"]
    method = methods.get(method_id)
    if method is None:
        return _missing("payment method not found")
    if method["source"] == "certificate":
        return _no("certificate cannot be used to update reservation")
    if method["source"] != "gift_card":
        return []
    if method["amount"] < price:
        return _no("gift card balance is not enough")
    return [{"edit": ["users", booked["user_id"], {"payment_methods": {**methods, method_id: {**method, "amount": method["amount"] - price}}}]}]


def _changed(booked: JsonDict, values: JsonDict, method_id: str = "", price: int = 0) -> Effects:
    """The reservation with new values, and the payment noted, shown as it is then."""
    if price:
        values = {**values, "payment_history": [*booked["payment_history"], {"payment_id": method_id, "amount": price}]}
    now = {name: value for name, value in {**booked, **values}.items() if name != "status" or value is not None}
    return [{"edit": ["reservations", booked["reservation_id"], values]}, {"show": json.dumps(now)}]


def _missing(what: str) -> Effects:
    return [{"missing": f"Error: {what}"}]


def _no(why: str) -> Effects:
    return [{"show": f"Error: {why}"}]


def _refused(effects: Effects) -> bool:
    return any("missing" in effect or "show" in effect for effect in effects)
