'use strict'

const { defaults } = require('./defaults')

/** @typedef {import('./config').Config} Config */
/** @typedef {import('./defaults').Settings} Settings */

/** Reads one value. @template T @typedef {(config: Config) => T} Reader */

/** The settings that a part of the server uses: a reader for each, or a group of readers. @typedef {{ [name: string]: Reader<any> | Schema }} Schema */

/** @template S @typedef {{ readonly [K in keyof S]: S[K] extends Reader<infer T> ? T : ValuesOf<S[K]> }} ValuesOf */

/** Reads text, '' if it is not set. @param {string} section @param {string} key @returns {Reader<string>} */
const text = (section, key) => config => config.get(section, key)

/** Reads text in small letters. @param {string} section @param {string} key @returns {Reader<string>} */
const lowerCase = (section, key) => config => config.get(section, key).trim().toLowerCase()

/** Reads `a, b, c`. @param {string} section @param {string} key @returns {Reader<string[]>} */
const list = (section, key) => config => config.get(section, key).split(',').map(part => part.trim()).filter(Boolean)

/** Reads a switch that is off unless it is `true`. @param {string} section @param {string} key @returns {Reader<boolean>} */
const ifTrue = (section, key) => config => config.get(section, key) === 'true'

/** Reads a switch that is on unless it is `false`. @param {string} section @param {string} key @returns {Reader<boolean>} */
const unlessFalse = (section, key) => config => config.get(section, key) !== 'false'

/**
 * Reads a whole number; one below `least` counts as `least`.
 *
 * @template {keyof Settings} S
 * @param {S} section
 * @param {keyof Settings[S] & string} key
 * @param {{ least?: number, unit?: number }} [options] unit: what the number is multiplied by
 * @returns {Reader<number>}
 */
const integer = (section, key, { least = -Infinity, unit = 1 } = {}) => config => Math.max(least, config.integer(section, key)) * unit

/**
 * Reads a whole number from 1 on; the default if the file holds something else.
 *
 * @template {keyof Settings} S
 * @param {S} section
 * @param {keyof Settings[S] & string} key
 * @returns {Reader<number>}
 */
const positive = (section, key) => config => {
  const value = config.get(section, key)
  const number = value.trim() === '' ? NaN : Number(value)
  return Number.isSafeInteger(number) && number >= 1 ? number : Number(defaults[section][key])
}

/**
 * @template {Schema} S
 * @param {Config} config
 * @param {S} schema
 * @returns {ValuesOf<S>}
 */
function valuesOf (config, schema) {
  const entries = Object.entries(schema).map(([name, reader]) => [name, typeof reader === 'function' ? reader(config) : valuesOf(config, reader)])
  return Object.freeze(Object.fromEntries(entries))
}

module.exports = { ifTrue, integer, list, lowerCase, positive, text, unlessFalse, valuesOf }
