'use strict'

const NOTHING = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]

/**
 * Counts of a database, kept in one record that every commit rewrites: decimal numbers with
 * spaces between, in the order of the fields.
 */
class Totals {
  /** Whether a text is one that was stored. @param {string | undefined} text @returns {text is string} */
  static isText (text) {
    return text !== undefined && /^\d+( \d+){6,}$/.test(text) && text.split(' ').map(Number).every(Number.isSafeInteger)
  }

  /** @param {string} [text] as stored */
  constructor (text) {
    const numbers = text === undefined ? NOTHING : text.split(' ').map(Number)
    /** The last sequence. */
    this.seq = numbers[0]
    /** Documents that are there. */
    this.live = numbers[1]
    /** Documents whose winner is deleted. */
    this.deleted = numbers[2]
    /** Bytes of document records. */
    this.records = numbers[3]
    /** Bytes of the winners' bodies. */
    this.external = numbers[4]
    /** Bytes of attachments' content. */
    this.attachments = numbers[5]
    /** Bytes of bodies beside the winners'. */
    this.revisions = numbers[6]
    /** How many of those there are. The first layout ends before it. */
    this.bodies = numbers[7] ?? 0
    /** The last purge sequence. */
    this.purgeSeq = numbers[8] ?? 0
    /** When the last change was made, milliseconds: no later change is earlier. The second layout ends before it. */
    this.time = numbers[9] ?? 0
    /** Versions that others have replaced. */
    this.versions = numbers[10] ?? 0
    /** Bytes of those. */
    this.history = numbers[11] ?? 0
  }

  encode () {
    return `${this.seq} ${this.live} ${this.deleted} ${this.records} ${this.external} ` +
      `${this.attachments} ${this.revisions} ${this.bodies} ${this.purgeSeq} ` +
      `${this.time} ${this.versions} ${this.history}`
  }

  clone () {
    const copy = new Totals()
    copy.seq = this.seq
    copy.live = this.live
    copy.deleted = this.deleted
    copy.records = this.records
    copy.external = this.external
    copy.attachments = this.attachments
    copy.revisions = this.revisions
    copy.bodies = this.bodies
    copy.purgeSeq = this.purgeSeq
    copy.time = this.time
    copy.versions = this.versions
    copy.history = this.history
    return copy
  }
}

module.exports = { Totals }
