'use strict'

/** Settings that several servers keep together: null where one was deleted. @typedef {Record<string, Record<string, string | null>>} SharedSections */
/** Keeps them. @typedef {{ sections: SharedSections, save: (sections: SharedSections) => Promise<void>, isOurs: () => boolean }} Shared */

/**
 * Lays settings over others; null takes one away.
 *
 * @param {Map<string, string>} values
 * @param {Iterable<[string, string | null]>} over
 */
function lay (values, over) {
  for (const [key, value] of over) {
    if (value === null) values.delete(key)
    else values.set(key, value)
  }
  return values
}

/**
 * The settings that differ.
 *
 * @param {SharedSections} before
 * @param {SharedSections} after
 * @returns {Array<[section: string, key: string]>}
 */
function changesOf (before, after) {
  /** @param {SharedSections} sections */
  const all = sections => Object.entries(sections).flatMap(([name, values]) => Object.keys(values).map(key => JSON.stringify([name, key])))
  const either = [...new Set([...all(before), ...all(after)])].map(text => JSON.parse(text))
  return either.filter(([name, key]) => before[name]?.[key] !== after[name]?.[key])
}

/**
 * A member of an object, but nothing that it inherits.
 * @template T
 * @param {Record<string, T>} object
 * @param {string} name
 * @returns {T | undefined}
 */
function ownOf (object, name) { return Object.hasOwn(object, name) ? object[name] : undefined }

module.exports = { changesOf, lay, ownOf }
