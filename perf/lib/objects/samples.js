'use strict'

/** @returns {Record<string, any>} an object of ten properties, the same in every run: some 200 bytes of JSON */
function makeObject (number) {
  return {
    number,
    name: `Person ${number}`,
    email: `person.${number}@example.com`,
    age: number % 90,
    score: number + 0.5,
    visits: number * 3,
    active: number % 2 === 0,
    joined: 1_600_000_000_000 + number * 1000,
    city: 'Launceston',
    address: { street: `${number} High Street`, zip: 7250 }
  }
}

/** @returns {Record<string, any>[]} objects [start, start + count) */
function makeObjects (start, count) {
  return Array.from({ length: count }, (_, index) => makeObject(start + index))
}

/** @returns {Record<string, any>} one object of that many properties, numbers and short strings in turns */
function makeLargeObject (properties) {
  const object = {}
  for (let index = 0; index < properties; index++) {
    object[`property${index}`] = index % 2 === 0 ? index : `value ${index}`
  }
  return object
}

module.exports = { makeObject, makeObjects, makeLargeObject }
