'use strict'

const { types } = require('node:util')
const { KIND, UNATTACHED } = require('../record/layout')
const { damaged } = require('../record/reader')
const { isAlike } = require('./content')
const { Node } = require('./node')
const { prototypeOver, refuseOdd } = require('./native')

const { getTime, setTime } = Date.prototype
const usual = /** @type {Record<string, Function>} */ (/** @type {unknown} */ (Date.prototype))
/** Milliseconds that a Date can be away from 1970. */
const FARTHEST = 8.64e15

/**
 * A Date: a real one, whose setters write.
 *
 * Record: its time as a double, NaN where it is invalid.
 */
class DateNode extends Node {
  #time = NaN

  static kinds = [KIND.date]

  /** @param {unknown} value */
  static match (value) {
    return types.isDate(value)
  }

  /** @param {Date} value @param {import('../heap/heap').Heap} heap */
  static copy (value, heap) {
    refuseOdd(value, Date.prototype, prototype)
    return new DateNode(heap, UNATTACHED)
  }

  /** @param {Date} value @param {import('../heap/types').Keep} keep */
  fill (value, keep) {
    this.#time = prototype.getTime.call(value)
    keep(this.#time, '')
  }

  /** @param {Date} value @param {import('../heap/types').Content} content */
  isCopyOf (value, content) { return isAlike(['', prototype.getTime.call(value)], content) }

  make () {
    const date = new Date(this.#time)
    return Object.preventExtensions(Object.setPrototypeOf(date, prototype))
  }

  /** @param {string} name @param {any[]} args @param {Date} date */
  read (name, args, date) {
    if (this.version !== this.heap.version) this.load()
    this.touched = true
    return usual[name].apply(date, args)
  }

  /** @param {string} name @param {any[]} args @param {Date} date */
  write (name, args, date) {
    return this.change(() => {
      const result = usual[name].apply(date, args)
      const { heap } = this
      heap.transaction.remember(this, 'time', this.#time)
      this.#time = getTime.call(date)
      this.touchAll()
      return result
    })
  }

  /** @param {unknown} what @param {any} former */
  undo (what, former) {
    if (what === 'time') this.#become(former)
    else super.undo(what, former)
  }

  /** @param {number} time */
  #become (time) {
    this.#time = time
    if (this.object !== undefined) setTime.call(this.object, time)
  }

  touchAll () {
    if (this.attached) this.heap.transaction.mark(this)
  }

  plain () {
    this.load()
    return new Date(this.#time)
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  encode (writer, map) {
    writer.put(map, this.id)
    writer.reserve(9)
    writer.u8(KIND.date)
    writer.double(this.#time)
    writer.end()
  }

  /** @param {import('../record/reader').Reader} reader @param {number} kind */
  decode (reader, kind) {
    if (kind !== KIND.date) throw damaged()
    const time = reader.double()
    reader.finish()
    if (Math.abs(time) > FARTHEST || (!Number.isInteger(time) && !Number.isNaN(time))) throw damaged()
    this.#become(time)
  }
}

/** @param {string} name @returns {import('./native').Method<DateNode>} */
function methodFor (name) {
  return name.startsWith('set')
    ? (node, args, date) => node.write(name, args, date)
    : (node, args, date) => node.read(name, args, date)
}

const names = Object.getOwnPropertyNames(Date.prototype).filter(name => name !== 'constructor')
/** @type {any} */
const prototype = prototypeOver(Date.prototype, Object.fromEntries(names.map(name => [name, methodFor(name)])))

module.exports = { DateNode }
