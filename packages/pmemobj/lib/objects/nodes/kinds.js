'use strict'

const { types } = require('node:util')
const { damaged } = require('../record/reader')
const { ArrayNode } = require('./array-node')
const { BoxedNode } = require('./boxed-node')
const { BufferNode } = require('./buffer-node')
const { DateNode } = require('./date-node')
const { ErrorNode } = require('./error-node')
const { MapNode } = require('./map-node')
const { ObjectNode } = require('./object-node')
const { RegExpNode } = require('./regexp-node')
const { SetNode } = require('./set-node')
const { ViewNode } = require('./view-node')

// The first that matches a value is its kind. Plain objects are last: they ask only for a prototype.
/** @type {import('../heap/types').NodeClass[]} */
const classes = [ArrayNode, DateNode, MapNode, SetNode, BufferNode, ViewNode, RegExpNode, BoxedNode, ErrorNode, ObjectNode]

const { toString } = Object.prototype

/** @type {Map<number, import('../heap/types').NodeClass>} */
const byKind = new Map()
for (const kind of classes) {
  for (const number of kind.kinds) byKind.set(number, kind)
}

/**
 * The class of nodes for a record that begins with a number.
 *
 * @param {number} number
 */
function kindOf (number) {
  const kind = byKind.get(number)
  if (kind === undefined) throw damaged()
  return kind
}

/**
 * The class of nodes that keeps a plain value; undefined where none does.
 *
 * @param {object} value
 * @param {import('../heap/heap').Heap} heap
 */
function kindFor (value, heap) {
  if (isOrdinary(value) && ObjectNode.match(value, heap)) return ObjectNode
  for (let i = 0; i < classes.length; i++) {
    if (classes[i].match(value, heap)) return classes[i]
  }
  return undefined
}

/**
 * Whether a value is surely none of a kind of its own. JavaScript names those itself, except for the ones that are asked
 * for here, unless a property hides it: to ask for each kind takes long, and most values are plain.
 *
 * @param {object} value
 */
function isOrdinary (value) {
  return toString.call(value) === '[object Object]' && !(Symbol.toStringTag in value) &&
    !types.isMap(value) && !types.isSet(value) && !types.isArrayBuffer(value) && !types.isBoxedPrimitive(value) && !ArrayBuffer.isView(value)
}

module.exports = { kindFor, kindOf }
