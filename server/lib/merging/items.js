'use strict'

const { endOfString } = require('@potoroo/document-store')

/**
 * The items of an array in a JSON text, as text: what was sent is passed on as it is, with all digits.
 *
 * @param {string} text of an object, which a parser has taken
 * @param {string} name of its member; the last one counts where there are several
 * @returns {string[]}
 */
function itemsOf (text, name) {
  /** @type {string[]} */
  let items = []
  let depth = 0
  /** The last string of the object: it may be a name. */
  let key = ''
  /** The beginning of an item; -1 outside of the array. */
  let from = -1
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      const end = endOfString(text, at)
      if (depth === 1) key = text.slice(at, end)
      at = end - 1
    } else if (character === '{' || character === '[') {
      depth++
      if (depth !== 2 || character !== '[' || !isNamed(key, name)) continue
      items = []
      from = at + 1
    } else if (character === '}' || character === ']') {
      if (--depth === 1 && from !== -1) {
        addItem(items, text.slice(from, at))
        from = -1
      }
    } else if (character === ',' && depth === 2 && from !== -1) {
      addItem(items, text.slice(from, at))
      from = at + 1
    }
  }
  return items
}

/** @param {string} key as JSON @param {string} name */
function isNamed (key, name) { return key.length > 2 && JSON.parse(key) === name }

/** @param {string[]} items @param {string} text */
function addItem (items, text) { if (text.trim() !== '') items.push(text) }

module.exports = { itemsOf }
