'use strict'

const { Pool } = require('../..')
const binding = require('../../lib/binding/binding')
const { Iterator } = require('../../lib/map/iterator')
const { ID_SIZE, KIND, MAPS, META } = require('../../lib/objects/record/layout')
const { kindOf, valuesIn, walk } = require('./graph')

// Longer strings have records of their own, one for each place where they are.
const SHORT = 256

const idOf = key => key.readUIntBE(0, ID_SIZE)

function * entriesOf (pool, name) {
  const handle = Pool.handleOf(pool)
  const iterator = new Iterator(handle, binding.openMap(handle, name), { keyEncoding: 'buffer', valueEncoding: 'buffer' })
  for (let page = iterator.nextv(1000); page.length > 0; page = iterator.nextv(1000)) {
    for (let i = 0; i < page.length; i += 2) yield [page[i], page[i + 1]]
  }
  iterator.close()
}

/** Counts what lies in the pool of objects; `orphans` are parts of objects that are not there. */
function recordsIn (pool) {
  const ids = new Set()
  const found = { objects: 0, texts: 0, buffers: 0, orphans: 0 }
  for (const [key, value] of entriesOf(pool, MAPS.objects)) {
    const id = idOf(key)
    if (id === META) continue
    if (key.length > ID_SIZE) {
      if (!ids.has(id)) found.orphans++
    } else {
      ids.add(id)
      if (value[0] === KIND.text) found.texts++
      else found.objects++
    }
  }
  for (const [key] of entriesOf(pool, MAPS.buffers)) {
    found.buffers++
    if (!ids.has(idOf(key))) found.orphans++
  }
  return found
}

/** Counts what has to lie there if the root leads to all of it. */
function recordsFor (root) {
  const objects = [...walk([root]).keys()]
  const texts = [root, ...objects.flatMap(object => [...valuesIn(object)])].filter(value => typeof value === 'string' && value.length > SHORT)
  // One without bytes has only its object.
  const buffers = objects.filter(object => kindOf(object) === 'ArrayBuffer' && object.byteLength > 0)
  return { objects: objects.length, texts: texts.length, buffers: buffers.length, orphans: 0 }
}

module.exports = { recordsFor, recordsIn }
