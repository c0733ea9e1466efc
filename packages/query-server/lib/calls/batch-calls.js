'use strict'

const { breakage, isAnswer, nonsense, parsed } = require('./function-result')
const { arrayText, partLength, smallerLength } = require('./parts')

/** UTF-16 units of what functions give that `parseLong` is asked for. */
const LONG = 256 * 1024

/**
 * @typedef {import('../query-server').Program} Program
 * @typedef {(texts: string[]) => string} Frame makes one JSON of the texts of a part
 */

/** Runs functions with one answer for each of a list of texts. */
class BatchCalls {
  #pool
  #log
  #parseLong

  /**
   * @param {import('../threads/thread-pool').ThreadPool} pool
   * @param {import('./function-log').FunctionLog} log
   * @param {(text: string) => Promise<any>} parseLong
   */
  constructor (pool, log, parseLong) {
    this.#pool = pool
    this.#log = log
    this.#parseLong = parseLong
  }

  /**
   * All at once or not at all.
   *
   * @param {Program} program
   * @param {string} kind
   * @param {string[]} texts
   */
  async whole (program, kind, texts) {
    const { owner, key, load } = program
    const result = await this.#pool.run({ owner, key, load, kind, json: arrayText(texts) })
    if (result.text === undefined) throw breakage(result)
    return this.#read(program, kind, texts, result.text)
  }

  /**
   * One part after another: all of it may be more than a program's memory holds.
   *
   * @param {Program} program
   * @param {string} kind
   * @param {string[]} texts
   * @param {Frame} [frame]
   * @returns {Promise<any[]>}
   */
  async inParts (program, kind, texts, frame = arrayText) {
    const answers = []
    for (let at = 0; at < texts.length || at === 0;) {
      const part = texts.slice(at, at + partLength(texts, at, program.most))
      at += Math.max(1, part.length)
      const answer = await this.#part(program, kind, part, frame)
      if (at >= texts.length && answers.length === 0) return answer
      answers.push(...answer)
    }
    return answers
  }

  /** @param {Program} program @param {string} kind @param {string[]} texts @param {Frame} frame @returns {Promise<any[]>} */
  async #part (program, kind, texts, frame) {
    const { owner, key, load } = program
    const result = await this.#pool.run({ owner, key, load, kind, json: frame(texts) })
    if (result.text !== undefined) return this.#read(program, kind, texts, result.text)
    if (texts.length > 1) return this.#smaller(program, kind, texts, frame, result.broken)
    throw breakage(result)
  }

  /**
   * Tries smaller parts: a text that is too much at once may be right alone.
   *
   * @param {Program} program
   * @param {string} kind
   * @param {string[]} texts
   * @param {Frame} frame
   * @param {string | undefined} broken
   * @returns {Promise<any[]>}
   */
  async #smaller (program, kind, texts, frame, broken) {
    const size = smallerLength(program, texts.length, broken)
    const answers = []
    for (let at = 0; at < texts.length; at += size) {
      answers.push(...await this.#part(program, kind, texts.slice(at, at + size), frame))
    }
    return answers
  }

  /** @param {Program} program @param {string} kind @param {string[]} texts @param {string} text @returns {Promise<any[]>} */
  async #read (program, kind, texts, text) {
    const json = this.#log.told(program, text)
    const answer = kind === 'renders' && json.length > LONG ? await this.#parseLong(json).catch(cause => { throw nonsense(cause) }) : parsed(json)
    if (!isAnswer(answer, texts.length)) throw nonsense()
    return answer
  }
}

module.exports = { BatchCalls }
