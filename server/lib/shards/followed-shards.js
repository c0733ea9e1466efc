'use strict'

const { StringDecoder } = require('node:string_decoder')

/** @typedef {import('../passing/inner-answer').InnerAnswer} Answer */

/** Continuous feeds of shards, whose rows are taken one shard at a time. */
class FollowedShards {
  #answers
  #take
  #turn = Promise.resolve()
  #ended = false

  /**
   * @param {Answer[]} answers
   * @param {(index: number, rows: string[]) => Promise<boolean>} take whether to go on
   */
  constructor (answers, take) {
    this.#answers = answers
    this.#take = take
  }

  /** Follows them until it is ended, or one of them ends. */
  async run () {
    try {
      await Promise.all(this.#answers.map((answer, index) => this.#follow(answer, index)))
    } catch (error) {
      if (!this.#ended) throw error
    } finally {
      this.end()
    }
  }

  end () {
    this.#ended = true
    for (const answer of this.#answers) answer.close()
  }

  /** @param {Answer} answer @param {number} index */
  async #follow (answer, index) {
    const decoder = new StringDecoder('utf8')
    let text = ''
    for (let chunk = await answer.read(); chunk !== null; chunk = await answer.read()) {
      const lines = (text + decoder.write(chunk)).split('\n')
      text = /** @type {string} */ (lines.pop())
      const rows = lines.filter(line => line.startsWith('{"seq":'))
      if (rows.length > 0) await this.#inTurn(index, rows)
      if (this.#ended) return
    }
    // A shard ends its feed where the database goes, or the server.
    this.end()
  }

  /** @param {number} index @param {string[]} rows */
  #inTurn (index, rows) {
    this.#turn = this.#turn.then(async () => { if (!this.#ended && !await this.#take(index, rows)) this.end() })
    return this.#turn
  }
}

module.exports = { FollowedShards }
