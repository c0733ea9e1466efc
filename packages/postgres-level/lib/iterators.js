'use strict'

const { AbstractIterator, AbstractKeyIterator, AbstractValueIterator } = require('abstract-level')
const { Pages } = require('./pages')

/**
 * @typedef {import('./pages').Entry} Entry
 * @typedef {{ read (step: import('./wire').Step): Promise<import('./wire').Row[]>, close (): void }} Source
 */

/**
 * An iterator over pages, whose elements are made of entries.
 *
 * @param {new (...args: any[]) => any} Base
 * @param {(options: any) => { withValues: boolean, make: (entry: Entry) => any }} shapeOf
 */
const overPages = (Base, shapeOf) => class extends Base {
  #source
  #range
  #pages
  #make
  /** @type {Entry[]} */
  #page = []
  #at = 0

  /** @param {any} db @param {import('./statements').Statements} statements @param {Source} source @param {any} options */
  constructor (db, statements, source, options) {
    super(db, options)
    const { withValues, make } = shapeOf(options)
    this.#make = make
    this.#source = source
    this.#range = options
    this.#pages = new Pages(step => source.read(step), statements, options, withValues)
  }

  async _next () {
    if (!await this.#advance(1)) return undefined
    return this.#make(this.#page[this.#at++])
  }

  /** @param {number} size */
  async _nextv (size) {
    if (!await this.#advance(size)) return []
    const part = this.#page.slice(this.#at, this.#at + size)
    this.#at += part.length
    return part.map(this.#make)
  }

  /** @param {number} wanted */
  async #advance (wanted) {
    if (this.#at < this.#page.length) return true
    this.#page = await this.#pages.page(wanted, this.limit - this.count)
    this.#at = 0
    return this.#page.length > 0
  }

  /** @param {Buffer} target */
  _seek (target) {
    this.#page = []
    this.#at = 0
    this.#pages.seek(target, this.#range)
  }

  async _close () {
    this.#page = []
    this.#source.close()
  }
}

class EntryIterator extends overPages(AbstractIterator, ({ keys, values }) => ({
  withValues: values,
  make: ({ key, value }) => [keys ? key : undefined, values ? value : undefined]
})) {}

class KeyIterator extends overPages(AbstractKeyIterator, () => ({ withValues: false, make: ({ key }) => key })) {}

class ValueIterator extends overPages(AbstractValueIterator, () => ({ withValues: true, make: ({ value }) => value })) {}

module.exports = { EntryIterator, KeyIterator, ValueIterator }
