'use strict'

const { CHUNK, PART } = require('../record/layout')
const { damaged } = require('../record/reader')
const { readName, readString, writeName, writeString } = require('../record/strings')
const { HOLE, readValue, writeValue } = require('../record/values')
const { Dictionary, Shape } = require('../heap/names')

// Record of an object: its shape, and the first chunk of values; or, of a dictionary, the number of its
// slots. Each further chunk is a part: values; or, of a dictionary, names and values.

/**
 * @param {import('./properties').Properties} node
 * @param {import('./chunks').Chunks} changed those that are written
 * @param {import('../record/writer').Writer} writer
 * @param {number} map
 */
function encodeObject (node, changed, writer, map) {
  const { names } = node
  if (names instanceof Shape) encodeShape(node, names, changed, writer, map)
  else encodeDictionary(node, names, changed, writer, map)
}

/**
 * @param {import('./properties').Properties} node
 * @param {Shape} names of the node
 * @param {import('./chunks').Chunks} changed
 * @param {import('../record/writer').Writer} writer
 * @param {number} map
 */
function encodeShape ({ heap, id, kinds, values }, names, changed, writer, map) {
  const chunks = Math.ceil(names.slots / CHUNK)
  changed.forEach(chunk => {
    if (chunk === 0) {
      writer.put(map, id)
      writer.reserve(10)
      writer.u8(kinds.shaped)
      writer.varint(heap.shapes.idOf(names))
    } else if (chunk < chunks) writer.putPart(map, id, PART.chunk, chunk)
    else return
    const end = Math.min((chunk + 1) * CHUNK, values.length)
    for (let slot = chunk * CHUNK; slot < end; slot++) writeValue(writer, values[slot])
    writer.end()
  })
}

/**
 * @param {import('./properties').Properties} node
 * @param {Dictionary} names of the node
 * @param {import('./chunks').Chunks} changed
 * @param {import('../record/writer').Writer} writer
 * @param {number} map
 */
function encodeDictionary ({ id, kinds, values }, names, changed, writer, map) {
  writer.put(map, id)
  writer.reserve(1)
  writer.u8(kinds.dictionary)
  writeString(writer, names.prototype)
  writer.reserve(10)
  writer.varint(names.slots)
  writer.end()
  changed.forEach(chunk => {
    if (chunk >= Math.ceil(names.slots / CHUNK)) return
    writer.putPart(map, id, PART.chunk, chunk)
    encodeEntries(writer, names.names, values, chunk * CHUNK)
    writer.end()
  })
}

/**
 * @param {import('../record/writer').Writer} writer
 * @param {(string | symbol | undefined)[]} names
 * @param {import('../heap/types').Slot[]} values
 * @param {number} from
 */
function encodeEntries (writer, names, values, from) {
  const end = Math.min(from + CHUNK, names.length)
  for (let slot = from; slot < end; slot++) {
    const name = names[slot]
    if (name === undefined) continue
    writer.reserve(1)
    writer.u8(slot - from)
    writeName(writer, name)
    writeValue(writer, values[slot])
  }
}

/**
 * Gives an object the names and values of its record.
 *
 * @param {import('./properties').Properties} node
 * @param {import('../record/reader').Reader} reader
 * @param {number} kind
 */
function decodeObject (node, reader, kind) {
  if (kind === node.kinds.shaped) decodeShape(node, reader)
  else if (kind === node.kinds.dictionary) decodeDictionary(node, reader)
  else throw damaged()
}

/** @param {import('./properties').Properties} node @param {import('../record/reader').Reader} reader */
function decodeShape (node, reader) {
  const { shapes } = node.heap
  const id = reader.id()
  const at = reader.at
  let shape = shapes.known(id)
  if (shape === undefined) {
    shape = shapes.read(id)
    node.heap.read(node.id)
    reader.at = at
  }
  const values = new Array(shape.size)
  for (let slot = 0; slot < shape.size; slot++) {
    if (slot > 0 && slot % CHUNK === 0) readChunk(node, reader, slot / CHUNK)
    values[slot] = readValue(reader)
  }
  reader.finish()
  node.names = shape
  node.values = values
}

/** @param {import('./properties').Properties} node @param {import('../record/reader').Reader} reader */
function decodeDictionary (node, reader) {
  const prototype = readString(reader)
  const slots = reader.varint()
  /** @type {(string | symbol | undefined)[]} */
  const names = []
  /** @type {import('../heap/types').Slot[]} */
  const values = []
  while (names.length < slots) {
    readChunk(node, reader, names.length / CHUNK)
    decodeEntries(reader, names, values, Math.min(names.length + CHUNK, slots))
  }
  reader.finish()
  const own = new Dictionary(prototype, names)
  if (own.size !== names.filter(name => name !== undefined).length) throw damaged()
  node.names = own
  node.values = values
}

/**
 * @param {import('./properties').Properties} node
 * @param {import('../record/reader').Reader} reader
 * @param {number} chunk
 */
function readChunk ({ heap, id }, reader, chunk) {
  reader.finish()
  if (heap.readPart(id, PART.chunk, chunk) === undefined) throw damaged()
}

/**
 * Reads the entries of a chunk, whose slots end before `end`.
 *
 * @param {import('../record/reader').Reader} reader
 * @param {(string | symbol | undefined)[]} names
 * @param {import('../heap/types').Slot[]} values
 * @param {number} end
 */
function decodeEntries (reader, names, values, end) {
  const from = names.length
  /** @param {number} to */
  const deleteTo = to => {
    while (names.length < to) {
      names.push(undefined)
      values.push(HOLE)
    }
  }
  while (!reader.done) {
    const slot = from + reader.u8()
    if (slot < names.length || slot >= end) throw damaged()
    deleteTo(slot)
    names.push(readName(reader))
    values.push(readValue(reader))
  }
  deleteTo(end)
}

module.exports = { decodeObject, encodeObject }
