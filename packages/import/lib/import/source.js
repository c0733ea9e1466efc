'use strict'

/**
 * A place that documents come from. Both kinds, PouchDB's LevelDB and CouchDB over HTTP, look like this.
 *
 * @typedef {object} Source
 * @property {string} name of the database there
 * @property {string} label for messages: a path, or a URL without a password
 * @property {string} identity the same for the same database, whatever its address
 * @property {boolean} numbered whether its sequences are plain numbers
 * @property {boolean} partitioned whether its ids are `partition:rest`, as a partitioned database wants them
 * @property {number} [q] the number of its shards, if a target that is made for it is to have as many
 * @property {() => Promise<number | string>} updateSeq the sequence of now
 * @property {(since: any) => AsyncIterable<Chunk>} changes all that changed after a sequence; 0 for all
 * @property {(ids: string[]) => Promise<{ changes: Change[], failures: Failure[] }>} leaves
 * @property {(changes: Change[], options?: { content?: boolean }) => Promise<{ documents: SourceDocument[], failures: Failure[] }>} read
 *   with `content: false` no content of attachments is read along; `open` still gives it
 * @property {() => Promise<boolean>} listsLocals
 * @property {() => AsyncIterable<Array<{ id: string, body: Record<string, any> }>>} locals
 *   none where the source does not list them
 * @property {() => Promise<Record<string, any> | undefined>} security undefined where there is none
 * @property {() => Promise<number | undefined>} revsLimit
 * @property {(revs: Record<string, string[]>) => Promise<Record<string, string[]>>} missing which of
 *   these revisions are not there
 * @property {() => Promise<void>} close
 */

/**
 * A document that changed, with the revisions that are wanted of it: at first all leaves.
 *
 * @typedef {{ id: string, revs: string[], seq: any, [more: string]: any }} Change
 */

/**
 * @typedef {object} Chunk
 * @property {Change[]} changes
 * @property {Failure[]} failures
 * @property {any} since the sequence to go on after, once all of it is in the target
 * @property {number} done units of progress in it
 * @property {number} left units after it, as far as is known
 */

/**
 * @typedef {{ id: string, seq: any, revisions: Revision[] }} SourceDocument
 */

/**
 * One leaf.
 *
 * @typedef {object} Revision
 * @property {string} rev
 * @property {{ start: number, ids: string[] }} revisions
 * @property {boolean} deleted
 * @property {Record<string, any>} members without those that begin with an underscore and mean something
 * @property {Attachment[]} attachments
 */

/**
 * An attachment with its content: `data`, or `open` for what is read while it is written.
 *
 * @typedef {object} Attachment
 * @property {string} name
 * @property {string} contentType
 * @property {string} digest
 * @property {number | null} length
 * @property {number | null} revpos
 * @property {string | null} encoded `gzip` where the digest is that of compressed content
 * @property {Buffer | null} data
 * @property {(() => AsyncIterable<Buffer>) | null} open
 */

/**
 * A thing that could not be brought over, and why.
 *
 * @typedef {{ id: string, rev?: string, reason: string }} Failure
 */

module.exports = {}
