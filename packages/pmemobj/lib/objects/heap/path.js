'use strict'

/** Names that are shown, from the end: a list may be longer than anybody reads. */
const SHOWN = 8

/** @typedef {{ holder: object, name: string | number | symbol }} Place */

/**
 * Names the place of a value in the one that was assigned, `list.3.text`: for errors, as holders are looked for among all.
 *
 * @param {string | symbol} name in its holder; '' where it is what was assigned
 * @param {object | undefined} holder
 * @param {(value: object) => Place | undefined} placeOf finds what a value was first seen in
 * @returns {string}
 */
function pathTo (name, holder, placeOf) {
  const names = [String(name)]
  let place = holder && placeOf(holder)
  for (; place !== undefined && names.length < SHOWN; place = placeOf(place.holder)) names.unshift(String(place.name))
  return `${place === undefined ? '' : '….'}${names.join('.')}`
}

module.exports = { pathTo }
