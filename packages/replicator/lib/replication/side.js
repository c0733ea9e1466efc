'use strict'

/**
 * One side of a replication, here or elsewhere.
 *
 * @typedef {object} Side
 * @property {string} shown its name or URL, without credentials
 * @property {(create: boolean, params: Record<string, any>) => Promise<{ updateSeq: any, instance: string }>} open
 *   makes the database where asked to; `instance` is another after the database was deleted and made again
 * @property {(id: string) => Promise<any>} getLocal a local document, null where there is none
 * @property {(doc: any) => Promise<string>} putLocal the new revision
 * @property {() => Promise<string>} commit makes all that was written so far survive; gives `instance`
 * @property {(since: any) => AsyncIterable<import('../remote/remote-changes').ChangesPage>} untilNow
 * @property {(since: any) => AsyncIterable<import('../remote/remote-changes').ChangesPage>} asTheyHappen
 *   may end by itself, and is asked for again then
 * @property {(since: any) => Promise<number | null>} pending how many changes come after
 * @property {(design: string, name: string) => Promise<any>} filterCode the source of a filter function
 * @property {(revs: Map<string, string[]>) => Promise<Wanted[]>} revsDiff those that are not there
 * @property {(wanted: Wanted[]) => AsyncIterable<Fetched[]>} fetch
 * @property {(documents: FetchedDocument[]) => Promise<Refusal[]>} write keeping revisions; gives what was refused
 * @property {() => Promise<void>} close
 *
 * @typedef {{ id: string, rev: string, attsSince: string[] }} Wanted a revision that the target lacks
 *
 * @typedef {FetchedDocument | Missing} Fetched
 * @typedef {{ id: string, rev: string, missing: true, reason: string, attachments?: undefined }} Missing
 *
 * A revision on its way. Attachments have `data` (an `AttachmentContent`, or base64) or are stubs.
 * @typedef {object} FetchedDocument
 * @property {string} id
 * @property {string} rev
 * @property {() => string} bare JSON without `_attachments`, its numbers exactly as the source has them
 * @property {(mayBeBare?: boolean) => any} doc the same as an object; one that may be bare may have its special members alone, and carry its text
 * @property {Record<string, any> | null} attachments
 * @property {boolean} bulkGet whether it came with many others
 *
 * @typedef {{ id: string, rev?: string, error: string, reason: string, missingStub?: boolean }} Refusal
 */

module.exports = {}
