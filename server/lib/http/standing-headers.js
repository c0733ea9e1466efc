'use strict'

/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

const STANDING = Symbol('standing headers')

/** @typedef {PotorooResponse & { [STANDING]?: string[] | null }} StandingResponse */

/**
 * Responses that take the headers which every answer has as one list, and write it and those of
 * `writeHead(status, list)` in one pass. `setHeader` for each costs twice as much.
 *
 * @template {new (...args: any[]) => any} Base
 * @param {Base} Base http.ServerResponse
 */
function withStandingHeaders (Base) {
  return class extends Base {
    /** @type {string[] | null} */
    [STANDING] = null

    /** @param {number} status @param {any[]} rest as of Node.js */
    writeHead (status, ...rest) {
      const standing = this[STANDING]
      if (standing === null) return super.writeHead(status, ...rest)
      this[STANDING] = null
      const [own] = rest
      if (Array.isArray(own) && this.getHeaderNames().length === 0) return super.writeHead(status, standing.concat(own))
      for (let i = 0; i < standing.length; i += 2) if (!this.hasHeader(standing[i])) this.setHeader(standing[i], standing[i + 1])
      return super.writeHead(status, ...rest)
    }
  }
}

/**
 * Says which headers an answer has whatever becomes of it; those that are set by name count more.
 *
 * @param {StandingResponse} res
 * @param {string[]} list name, value, name, value …
 */
function setStandingHeaders (res, list) {
  if (res[STANDING] === null) res[STANDING] = list
  else for (let i = 0; i < list.length; i += 2) res.setHeader(list[i], list[i + 1])
}

/** They are another's to say. @param {StandingResponse} res */
function dropStandingHeaders (res) {
  if (STANDING in res) res[STANDING] = null
}

module.exports = { dropStandingHeaders, withStandingHeaders, setStandingHeaders }
