'use strict'

/** The bytes of new records of one transaction. They stay where they were written until it ends, and are copied once then. */
class NewRecords {
  #writer
  /** @type {Buffer | undefined} */
  #kept

  /** @param {import('../record/writer').Writer} writer */
  constructor (writer) {
    this.#writer = writer
  }

  get bytes () { return this.#kept ?? this.#writer.bytes }

  /** The writer begins again. */
  keep () {
    this.#kept = Buffer.from(this.#writer.bytes.subarray(0, this.#writer.at))
  }
}

module.exports = { NewRecords }
