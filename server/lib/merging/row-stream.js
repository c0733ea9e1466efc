'use strict'

const { StringDecoder } = require('node:string_decoder')
const { createError } = require('@potoroo/errors')

/** @typedef {import('../passing/inner-answer').InnerAnswer} Answer */

const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

/**
 * The items of an array in a shard's answer, as JSON text, as they come: `{ …, "rows": [ … ], … }`. It trusts the
 * shard that the text is JSON, and knows of strings and brackets alone.
 */
class RowStream {
  /** The members of the answer before the array, and after it, as JSON text. */
  head = ''
  tail = ''
  /** The rows that have come. @type {string[]} */
  rows = []
  /** How many of them were taken. */
  taken = 0
  #answer
  #name
  #decoder = new StringDecoder('utf8')
  #text = ''
  #at = 0
  #depth = 0
  #inString = false
  /** The beginning of the last string of the outermost object: it may be a name. */
  #string = 0
  /** The beginning of the current row; -1 outside of the array. */
  #row = -1
  #isPast = false
  #ended = false

  /** @param {Answer} answer @param {string} name of the array */
  constructor (answer, name) {
    this.#answer = answer
    this.#name = `"${name}"`
  }

  /** The next row; undefined where none has come yet. */
  peek () { return this.rows[this.taken] }

  /** Takes it. */
  take () { return this.rows[this.taken++] }

  /** Waits until there is a row, or none follows. @returns {Promise<boolean>} whether there is one */
  async fill () {
    while (this.taken === this.rows.length) {
      if (this.#ended) return false
      this.rows = []
      this.taken = 0
      await this.#read()
    }
    return true
  }

  /** The next row, waiting for it; undefined at the end. */
  async next () { return await this.fill() ? this.take() : undefined }

  /** The other members of the answer, once the rows are read; those before them once there is one. @returns {Record<string, any>} */
  get members () {
    const head = this.head.replace(/[\s,]*$/, '')
    const tail = this.tail.trim().replace(/^,/, '').replace(/\}$/, '').trim()
    return JSON.parse(`${head}${head.length > 1 && tail !== '' ? ',' : ''}${tail}}`)
  }

  close () { this.#answer.close() }

  async #read () {
    const bytes = await this.#answer.read()
    if (bytes === null) return this.#end()
    this.#text += this.#decoder.write(bytes)
    this.#scan()
  }

  #end () {
    this.#ended = true
    if (!this.#isPast) throw createError('INTERNAL', { reason: 'A shard of the database gave an answer that ends early' })
    this.tail += this.#text
    this.#text = ''
  }

  #scan () {
    const text = this.#text
    let at = this.#at
    while (at < text.length && !this.#isPast) {
      if (this.#inString) {
        at = this.#endOfString(text, at)
        continue
      }
      const code = text.charCodeAt(at)
      if (code === QUOTE) {
        this.#inString = true
        if (this.#depth === 1) this.#string = at
      } else if (code === OPEN_OBJECT) this.#depth++
      else if (code === OPEN_ARRAY) this.#open(text, at)
      else if (code === CLOSE_OBJECT) this.#depth--
      else if (code === CLOSE_ARRAY) this.#close(text, at)
      else if (code === COMMA && this.#row !== -1 && this.#depth === 2) this.#add(text, at)
      at++
    }
    this.#drop(at)
  }

  /** @param {string} text @param {number} at */
  #endOfString (text, at) {
    while (at < text.length) {
      const code = text.charCodeAt(at++)
      if (code === BACKSLASH) at++
      else if (code === QUOTE) {
        this.#inString = false
        break
      }
    }
    return at
  }

  /** @param {string} text @param {number} at */
  #open (text, at) {
    this.#depth++
    if (this.#row !== -1 || this.#depth !== 2) return
    const name = text.slice(this.#string, at).trimEnd()
    if (name.charCodeAt(name.length - 1) !== COLON || name.slice(0, -1).trimEnd() !== this.#name) return
    this.head = text.slice(0, this.#string)
    this.#row = at + 1
  }

  /** @param {string} text @param {number} at */
  #close (text, at) {
    this.#depth--
    if (this.#row === -1 || this.#depth !== 1) return
    this.#add(text, at)
    this.#isPast = true
  }

  /** @param {string} text @param {number} at the end of a row */
  #add (text, at) {
    const row = text.slice(this.#row, at).trim()
    if (row !== '') this.rows.push(row)
    this.#row = at + 1
  }

  /** Forgets the text of rows. @param {number} at */
  #drop (at) {
    if (this.#isPast) {
      this.tail += this.#text.slice(this.#row)
      this.#text = ''
      this.#at = this.#row = 0
    } else if (this.#row > 0) {
      this.#text = this.#text.slice(this.#row)
      this.#at = at - this.#row
      this.#row = 0
    } else this.#at = at
  }
}

module.exports = { RowStream }
