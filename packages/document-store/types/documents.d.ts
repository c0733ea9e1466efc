/// <reference types="node" />

export interface AttachmentInfo {
  contentType: string
  /** `md5-…`, base64, of the stored bytes. */
  digest: string
  /** Bytes of the content. If it came compressed and did not say its length, `encodedLength`. */
  length: number
  /** How the content is stored, where it is not as it is. */
  encoding?: 'gzip'
  /** With encoding: bytes stored. */
  encodedLength?: number
  /** Generation of the revision that brought it. */
  revpos: number
  /** Only when asked for with `attachments: true` (and, with `attsSince`, newer than those). */
  data?: Buffer
}

/** One revision of a document, as read. Faces turn it into their own form. */
export interface Document {
  id: string
  rev: string
  deleted: boolean
  /** JSON text of an object: the document without its underscore members. `{}` is the least. */
  body: string
  attachments: Record<string, AttachmentInfo> | null
  /** With `revs`: newest first. */
  revisions?: { start: number, ids: string[] }
  /** With `revsInfo`: newest first. */
  revsInfo?: Array<{ rev: string, status: 'available' | 'missing' | 'deleted' }>
  /** With `conflicts`: live leaves that did not win; undefined where there are none. */
  conflicts?: string[]
  /** With `deletedConflicts`. */
  deletedConflicts?: string[]
  /** With `localSeq`. */
  localSeq?: number
  /** With `meta`. */
  meta?: Origin
}

/** The last change of a document. */
export interface Origin {
  /** When it was made, milliseconds; 0 where that is not known, as of documents that an older version wrote. */
  time: number
  /** The name of who made it; null of one without a name, and where that is not known. */
  user: string | null
  /** Not told to a member of a database with access by document: it counts what others write, too. */
  seq?: number
}

/** A moment: a time (a Date, milliseconds or ISO 8601 with its zone) or an update sequence. Numbers below 10^11 are sequences. */
export type Moment = Date | number | string

export interface ReadOptions {
  revs?: boolean
  revsInfo?: boolean
  conflicts?: boolean
  deletedConflicts?: boolean
  localSeq?: boolean
  /** Time and user of the last change. */
  meta?: boolean
  /** Load the attachments' content. */
  attachments?: boolean
  /** With attachments: only those newer than these revisions, the others stay stubs. */
  attsSince?: string[]
  /** With attachments: too_large where those to load are longer than this, bytes. */
  attachmentsLimit?: number
  /** A document whose attachments are longer has stubs of them, instead of an error. */
  stubsBeyond?: boolean
  /** Set by `MemberStore` alone: who asks. */
  as?: any
}

export interface GetOptions extends ReadOptions {
  rev?: string
  /** With rev: the leaf that descends from it. */
  latest?: boolean
  /** As the document was then: the revision that won at that moment. Goes with `attachments` and `meta` alone. */
  at?: Moment
}

/**
 * A document as it comes in: CouchDB's JSON form. In `_attachments`, `data` is base64 or a
 * `ContentSource`. A `length` or `digest` that comes with data is ignored, but a stream has to be
 * as announced (bad_request, content_md5_mismatch). A `ContentSource` with `encoding: 'gzip'` beside
 * it is compressed already, and kept so: `digest` and `encoded_length` are then of these bytes. If they are
 * no whole gzip, they are plain content.
 */
export type DocumentInput = Record<string, any>

/**
 * Content of an attachment. Streams (of Node.js or the Web, or any AsyncIterable) and Blobs are
 * read while they are stored, a chunk at a time, and so are bytes above 4 MiB, which must not
 * change meanwhile. Streams that fail or that nobody will read any more are destroyed.
 */
export type ContentSource = Uint8Array | AsyncIterable<Uint8Array> | Blob

export type WriteResult = { ok: true, id: string, rev: string } | (Error & { id?: string, rev?: string })

export interface WriteOptions {
  /** The user who writes, for `meta` and history. */
  user?: { name: string | null, roles?: readonly string[] }
  /** false: keep the revisions as they come (`_revisions` or `_rev`): replication. Default true. */
  newEdits?: boolean
  /** A document that comes with a number as `_local_seq` gets that sequence, or where it is passed already, the next. */
  keepSequences?: boolean
  /** A malformed document, or a stub of an attachment that is not there, is an error of the whole write, which then writes nothing. */
  strict?: boolean
  /**
   * Either all documents are written or none. If some are refused (a conflict, say), each of
   * those has its own error in the results, and all others have NOT_ALL.
   */
  allOrNothing?: boolean
  /**
   * With `allOrNothing`: documents as they have to be in the commit's own turn; `rev` of the winner, null of one that
   * must not be there. Otherwise the whole write fails with CONFLICT, and `conflicts` of that name what has changed.
   */
  reads?: Array<{ id: string, rev: string | null }>
  /**
   * With `allOrNothing`: a document that was written after sequence `since`, is not one of `reads`, and matches, is a conflict too. So what
   * was found by a query, and is all in `reads`, is still all that there is to find; `length` is of the document's text. If
   * there are more than 1000 changes, each counts as one that matches. To a `MemberStore` nothing appears that its member may not see.
   */
  unless?: { since: number, matches: (doc: any, length: number) => boolean | Promise<boolean> }
  /** With `allOrNothing`: is called as soon as all is written, before the events of the commit are emitted. It is not if something is refused. */
  committed?: (results: Array<{ ok: true, id: string, rev: string }>) => void
  /** Local documents keep all their members, with underscore too, as PouchDB's do. Default false: by CouchDB's rules. */
  keepLocal?: boolean
  /**
   * false: a local document is written whatever its revision, and the next one counts from that which
   * it names, as by CouchDB. Default true: a stale one is refused, as by PouchDB.
   */
  checkLocal?: boolean
  /** For this write, in place of the store's. */
  revsLimit?: number
  /** For this write, in place of the store's: of the documents written, no body is kept but those of leaves. */
  autoCompaction?: boolean
  /** For this write, in place of the store's. */
  deterministicRevs?: boolean | 'couchdb'
  /** Set by `MemberStore` alone: who writes. */
  as?: any
}

/** Documents to be written if others are as they were read. */
export interface Transaction {
  /** Documents as they were read, local ones too, each once: `rev` is that of the winner, or null where there was none or a deleted one. */
  reads?: Array<{ id: string, rev: string | null }>
  /** Documents to be written, as for `write`; each id once. */
  writes?: DocumentInput[]
}

/**
 * Writes all documents in one commit if all reads still hold then, or nothing: see `DocumentStore`'s `transact`. `database`
 * may be what stands in front of a store, with rules of its own for `write` and `get`.
 */
export function transact (
  database: Pick<import('./store').DocumentStore, 'write' | 'get' | 'getLocal'>, transaction: Transaction, options?: WriteOptions
): Promise<Array<{ ok: true, id: string, rev: string }>>
