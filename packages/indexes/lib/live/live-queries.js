'use strict'

const { LiveQuery } = require('./live-query')
const { LiveTable } = require('./live-table')

/**
 * @import { DocumentStore } from '@potoroo/document-store'
 * @import { Access } from './access'
 * @import { LiveRow } from './live-table'
 */

/**
 * A database that is followed for all who see the same of it.
 *
 * @typedef {import('../..').LiveSource} LiveSource
 */

/**
 * The request of a live query.
 *
 * @typedef {object} LiveAsked
 * @property {() => Promise<AsyncIterable<LiveRow[]>>} search gives its result as it is when it is read
 * @property {(doc: any, length: number) => boolean | Promise<boolean>} accepts
 * @property {Access | null} access
 * @property {string | null} partition what the ids begin with; null: with anything
 * @property {string | null} bookmark
 * @property {Array<[id: string, rev: string | null]> | null} known what the client has, of the bookmark's moment; null: it does not say
 * @property {number} most documents in its result
 * @property {number} mostWaiting events for a reader who is slow
 * @property {AbortSignal} [signal] ends it
 */

/** The tables of sources that have live queries. @type {WeakMap<LiveSource, LiveTable>} */
const tables = new WeakMap()

/** @param {LiveSource} source @param {LiveAsked} asked */
function openLive (source, asked) {
  let table = tables.get(source)
  if (table === undefined) tables.set(source, table = new LiveTable(source, () => tables.delete(source)))
  return new LiveQuery(table, source, asked)
}

/** Counts what is live on a source. @param {LiveSource} source @returns {{ queries: number, shapes: number }} */
function liveFigures (source) { return tables.get(source)?.figures ?? { queries: 0, shapes: 0 } }

module.exports = { liveFigures, openLive }
