'use strict'

const { types } = require('node:util')
const { KIND, UNATTACHED } = require('../record/layout')
const { damaged } = require('../record/reader')
const { readString, writeString } = require('../record/strings')
const { getterOf, refuseOdd } = require('./native')
const { isAlike } = require('./content')
const { Node } = require('./node')

const sourceOf = getterOf(RegExp.prototype, 'source')
/** The getter of `flags` asks for properties, which a program may have put before these. */
const FLAGS = Object.entries({ d: 'hasIndices', g: 'global', i: 'ignoreCase', m: 'multiline', s: 'dotAll', u: 'unicode', v: 'unicodeSets', y: 'sticky' })
  .map(([letter, name]) => ({ letter, isSet: getterOf(RegExp.prototype, name) }))

/**
 * A regular expression: a real one. `lastIndex` belongs to what JavaScript holds, as after structuredClone:
 * V8 writes it, and tells nobody.
 *
 * Record: its source and its flags, strings.
 */
class RegExpNode extends Node {
  #source = ''
  #flags = ''

  static kinds = [KIND.regexp]

  /** @param {unknown} value */
  static match (value) {
    return types.isRegExp(value)
  }

  /** @param {RegExp} value @param {import('../heap/heap').Heap} heap */
  static copy (value, heap) {
    refuseOdd(value, RegExp.prototype)
    return new RegExpNode(heap, UNATTACHED)
  }

  /** @param {RegExp} value @param {import('../heap/types').Keep} keep */
  fill (value, keep) {
    this.#source = sourceOf(value)
    this.#flags = flagsOf(value)
    keep(this.#source, '')
    keep(this.#flags, '')
  }

  /** @param {RegExp} value @param {import('../heap/types').Content} content */
  isCopyOf (value, content) { return isAlike(['', sourceOf(value), '', flagsOf(value)], content) }

  make () {
    return Object.preventExtensions(this.plain())
  }

  touchAll () {
    if (this.attached) this.heap.transaction.mark(this)
  }

  plain () {
    this.load()
    try {
      return new RegExp(this.#source, this.#flags)
    } catch {
      throw damaged()
    }
  }

  /** @param {import('../record/writer').Writer} writer @param {number} map */
  encode (writer, map) {
    writer.put(map, this.id)
    writer.reserve(1)
    writer.u8(KIND.regexp)
    writeString(writer, this.#source)
    writeString(writer, this.#flags)
    writer.end()
  }

  /** @param {import('../record/reader').Reader} reader @param {number} kind */
  decode (reader, kind) {
    if (kind !== KIND.regexp) throw damaged()
    this.#source = readString(reader)
    this.#flags = readString(reader)
    reader.finish()
  }
}

/** @param {RegExp} value */
function flagsOf (value) {
  return FLAGS.filter(({ isSet }) => isSet(value)).map(({ letter }) => letter).join('')
}

module.exports = { RegExpNode }
