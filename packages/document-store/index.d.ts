/// <reference types="node" />
import { AbstractLevel } from 'abstract-level'
import { EventEmitter } from 'node:events'

/**
 * All failures are a `CouchError` of `@potoroo/errors`. Sequences are numbers from 1; 0 is
 * "before everything". Revisions are `N-hash` strings. Times are milliseconds.
 */

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
}

export interface ReadOptions {
  revs?: boolean
  revsInfo?: boolean
  conflicts?: boolean
  deletedConflicts?: boolean
  localSeq?: boolean
  /** Load the attachments' content. */
  attachments?: boolean
  /** With attachments: only those newer than these revisions, the others stay stubs. */
  attsSince?: string[]
  /** With attachments: too_large where those to load are longer than this, bytes. */
  attachmentsLimit?: number
  /** A document whose attachments are longer has stubs of them, instead of an error. */
  stubsBeyond?: boolean
}

export interface GetOptions extends ReadOptions {
  rev?: string
  /** With rev: the leaf that descends from it. */
  latest?: boolean
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
}

/** A purge that is remembered: these revisions of the document went, and their ancestors up to a branch. */
export interface Purge { seq: number, id: string, revs: string[] }

export interface PurgeResult {
  purgeSeq: number
  /** By id, those of the revisions asked for that were leaves, and went. */
  purged: Record<string, string[]>
  /** By id, all revisions that went: each leaf, then its ancestors. */
  gone: Record<string, string[]>
  /** The ids of documents that nothing is left of. */
  erased: string[]
}

export interface PurgeOptions {
  purgedInfosLimit?: number
  /** Gets the leaves that went, by id, as they go: there may be many. The result says nothing of them then. */
  take?: (purged: Array<[string, string[]]>) => void
}

/** A compaction under way: bodies of revisions looked at, and how many there are; times in milliseconds. */
export interface CompactionProgress { readonly done: number, readonly total: number, readonly startedAt: number, readonly updatedAt: number }

export interface RangeOptions {
  startkey?: string
  endkey?: string
  inclusiveEnd?: boolean
  descending?: boolean
  skip?: number
  /** Undefined for no limit. */
  limit?: number
}

export interface AllDocsOptions extends RangeOptions, ReadOptions {
  /** Exactly these, in this order, with rows for missing (`error`) and deleted ones. */
  keys?: string[]
  /** Only documents of this partition. */
  partition?: string
  includeDocs?: boolean
  /** Count the rows before `startkey` into `offset`. The first time that reads them all, later some 100 of them. Default false: `offset` is `skip`. */
  exactOffset?: boolean
}

export type AllDocsRow =
  | { id: string, key: string, value: { rev: string, deleted?: true }, document?: Document | null }
  | { key: string, error: 'not_found' }

export interface AllDocsResult {
  totalRows: number
  /** Rows before the first; null with keys. */
  offset: number | null
  updateSeq: number
  /** Pages, read from one snapshot as they are asked for. Ending early releases it. */
  rows: AsyncIterable<AllDocsRow[]>
}

export interface Change {
  seq: number
  id: string
  /** The winner alone, or all leaves (winner first) with style all_docs. */
  changes: Array<{ rev: string }>
  deleted: boolean
  /** With includeDocs or a filter. */
  document?: Document
}

export interface ChangesOptions extends ReadOptions {
  /** Changes after this sequence. Default 0. */
  since?: number
  limit?: number
  descending?: boolean
  style?: 'main_only' | 'all_docs'
  includeDocs?: boolean
  /** Only these documents. */
  docIds?: string[]
  /** Called a page at a time with `document` present in each; says which pass, and may take revisions out of their `changes`. */
  filter?: (changes: Change[]) => boolean[] | Promise<boolean[]>
  /** false leaves `pending` at 0: to count may take a scan. Default true. */
  pending?: boolean
  /** `pending` is how many changes there are from `since` on, less those that were given. Default false. */
  pendingOfRows?: boolean
}

/** Iterates pages of changes. `lastSeq` and `pending` are true of what was iterated so far. */
export interface Changes extends AsyncIterable<Change[]> {
  /** The last sequence that was looked at, whether it passed the filter or not. */
  readonly lastSeq: number
  /** Changes after lastSeq (not filtered). */
  readonly pending: number
}

export interface Info {
  docCount: number
  docDelCount: number
  updateSeq: number
  purgeSeq: number
  /** 32 hex characters, new with every creation of the database. */
  instanceId: string
  /** When it was created, milliseconds. */
  createdAt: number
  compactRunning: boolean
  /** Bytes: of live documents and attachments, their JSON size, and all that is stored (estimated where the level cannot say). */
  sizes: { active: number, external: number, file: number }
}

export interface PartitionInfo {
  partition: string
  docCount: number
  docDelCount: number
  /** Bytes: of records and attachments of all its documents, and of live ones without their history. */
  sizes: { active: number, external: number }
}

export interface StoreOptions {
  /** In front of every key. Default ''. */
  prefix?: string
  name?: string
  revsLimit?: number
  autoCompaction?: boolean
  /**
   * Default true: equal edits of equal parents get equal revisions. `couchdb`: they get those that CouchDB makes
   * of the same JSON, if that was parsed by the likes of `carrySent`.
   */
  deterministicRevs?: boolean | 'couchdb'
  /** Passed to the level's batches: whether LevelDB flushes its log before it answers. Default true. */
  sync?: boolean
  /**
   * How long the first writer of a group waits for others: for the end of its turn, or for a
   * round of the event loop, which brings in the writers of all connections. Default `turn`.
   */
  gather?: 'turn' | 'round'
  /** Asked for each commit to a partitioned database: bytes that a partition may have. Default: no limit. */
  maxPartitionSize?: () => number
  /**
   * How hard attachments of a content type are compressed before they are stored: 1 to 9, 0 for
   * not at all. Default: none is. Readers get them as they were, except by `streamStored`.
   */
  compressionLevel?: (contentType: string) => number
}

/**
 * One database. Emits after each commit:
 * `changes` (Change[] in style all_docs with `document`), `commit` (the last sequence; cheap). Beside
 * that `compaction` after each step of one, `close`, `destroy`.
 */
export class DocumentStore extends EventEmitter {
  /** Opens the database under `prefix` of an open level, or makes it. */
  static open (level: AbstractLevel<any, any, any>, options?: StoreOptions): Promise<DocumentStore>
  readonly name: string
  readonly closed: boolean
  /** The last committed sequence. */
  readonly updateSeq: number
  /**
   * Changes whenever a design document is written while the store is open, and for nothing else but that: a purge
   * of one shows in `purgeSeq`. Whoever keeps what design documents say looks at both.
   */
  readonly designSeq: number
  /** Documents that are not deleted, design documents too. */
  readonly docCount: number
  readonly instanceId: string
  /** Whether ids are `partition:rest`: it was made so. Other ids are refused, as in CouchDB. */
  readonly partitioned: boolean
  revsLimit: number
  /** The space in which @potoroo/indexes keeps rows: below the database's prefix. Not for others. */
  readonly indexSpace: any
  /** Whether writes drop the bodies that they supersede. Changing it is not remembered. */
  autoCompaction: boolean
  setRevsLimit (limit: number): Promise<void>

  info (): Promise<Info>
  /** Counts of a partition; one without documents counts 0. */
  partitionInfo (partition: string): Promise<PartitionInfo>

  /** not_found (missing or deleted); a deleted document is read by its `rev`. */
  get (id: string, options?: GetOptions): Promise<Document>
  /** All leaves (`'all'`) or these revisions, in that order; unknown ones as missing. */
  openRevs (id: string, revs: 'all' | string[], options?: ReadOptions & { latest?: boolean }): Promise<Array<{ ok: Document } | { missing: string }>>
  /** One per request, aligned: what `openRevs`, or `get` where a request has no rev, says. */
  bulkGet (requests: Array<{ id: string, rev?: string, attsSince?: string[] }>, options?: ReadOptions & { latest?: boolean }): Promise<Array<{ ok: Document, others?: Document[] } | { error: Error, rev?: string }>>
  allDocs (options?: AllDocsOptions): Promise<AllDocsResult>

  /**
   * Writes documents, local ones too, in one commit, or in several one after another where they are more than 1000 or 4 MB (with `allOrNothing` in one); results are aligned with `docs`. A CouchError in
   * the place of a document, one that was refused before, is its result.
   */
  write (docs: Array<DocumentInput | Error>, options?: WriteOptions): Promise<WriteResult[]>
  /** The same for one document; throws its error. */
  put (doc: DocumentInput, options?: WriteOptions): Promise<{ ok: true, id: string, rev: string }>

  /** Changes from one snapshot of now. */
  changes (options?: ChangesOptions): Changes
  /** The same, then goes on for ever as writes commit; ends with `signal`, close or destroy. An empty page says that lastSeq moved on. */
  follow (options?: ChangesOptions & { signal?: AbortSignal }): Changes

  /** Which of these revisions are not here: only documents that miss some are in the answer. `take` gets them as they are found, some at a time; then the answer is empty. With false it ends. */
  revsDiff (
    request: Record<string, string[]>,
    take?: (found: Array<[string, { missing: string[], possible_ancestors?: string[] }]>) => boolean | Promise<boolean>
  ): Promise<Record<string, { missing: string[], possible_ancestors?: string[] }>>

  /** `pouchdb-merge`'s form: `[{ pos, ids: [hash, { status, deleted? }, children] }]`. */
  getRevisionTree (id: string): Promise<any[]>

  getLocal (id: string): Promise<{ id: string, rev: string, body: string }>
  putLocal (doc: DocumentInput, options?: Pick<WriteOptions, 'keepLocal' | 'checkLocal'>): Promise<{ ok: true, id: string, rev: string }>
  removeLocal (doc: { _id: string, _rev?: string }, options?: Pick<WriteOptions, 'checkLocal'>): Promise<{ ok: true, id: string, rev: string }>
  allLocal (options?: RangeOptions & { keys?: string[] }): Promise<Array<{ id: string, rev: string, body: string }>>

  /** Without rev, of the winner. `read` gives a part (bytes, end exclusive) or all; `stream` pages through it, and `streamStored` through the bytes as they are stored. */
  getAttachment (id: string, name: string, options?: { rev?: string }): Promise<AttachmentInfo & {
    rev: string
    read (start?: number, end?: number): Promise<Buffer>
    stream (start?: number, end?: number): AsyncIterable<Buffer>
    streamStored (start?: number, end?: number): AsyncIterable<Buffer>
  }>
  putAttachment (id: string, name: string, attachment: { contentType: string, data: ContentSource | string, length?: number, digest?: string, encoding?: 'gzip' }, options?: { rev?: string }): Promise<{ ok: true, id: string, rev: string }>
  removeAttachment (id: string, name: string, options: { rev: string }): Promise<{ ok: true, id: string, rev: string }>

  /**
   * Drops the bodies of all superseded revisions and the attachments that only they used, in small
   * commits between those of others. Called again meanwhile, it waits for the same one. CLOSED where
   * the store is closed before its end: what is dropped then stays so, and another goes on with the rest.
   */
  compact (): Promise<void>
  /** The one under way. */
  readonly compaction: CompactionProgress | null
  /** The same for these revisions of one document. */
  compactDocument (id: string, revs: string[]): Promise<void>

  /**
   * Removes leaf revisions as though they had never been, each with its history up to where it
   * branches, in one commit, or in several where more than 500 documents are named. A document whose last leaf goes leaves no trace but the purge; one with
   * others left has a new change. What is not a leaf is left alone. A purge does not replicate.
   * @see https://docs.couchdb.org/en/stable/api/database/misc.html#db-purge
   */
  purge (revs: Record<string, string[]>, options?: PurgeOptions): Promise<PurgeResult>
  /** The last purge sequence, 0 before the first purge. */
  readonly purgeSeq: number
  /**
   * The purges after `since`, oldest first, as far as they are remembered: from `oldest` (`last + 1`
   * where there are none) to `last`. An index reads them before a snapshot of changes, takes the rows
   * of each `id` anew from the document as it is then (a document may have come again), and keeps
   * `last`; if it had kept less than `oldest - 1`, it has missed some and must be built again.
   */
  purges (options?: { since?: number }): Promise<{ oldest: number, last: number, purges: Purge[] }>
  /** How many purges are remembered, at least. Default 1000. */
  readonly purgedInfosLimit: number
  setPurgedInfosLimit (limit: number): Promise<void>

  /** Small JSON values that belong to the database and do not replicate (security object, …). */
  getMeta (key: string): Promise<any>
  setMeta (key: string, value: any): Promise<void>

  close (): Promise<void>
  /** Deletes everything under the prefix and closes. */
  destroy (): Promise<void>
}

/**
 * The databases in one level: a name each, durable, made and dropped atomically.
 * Emits `created` and `updated` with the name and the store, `deleted` with the name, and `opened` with a
 * store that was opened.
 */
export class Databases extends EventEmitter {
  static open (level: AbstractLevel<any, any, any>, options?: { prefix?: string } & Pick<StoreOptions, 'revsLimit' | 'autoCompaction' | 'deterministicRevs' | 'sync' | 'gather' | 'maxPartitionSize'>): Promise<Databases>
  /** file_exists where there is one. `meta` is set in the same commit. A partitioned one stays so. */
  create (name: string, options?: { meta?: Record<string, any>, partitioned?: boolean }): Promise<DocumentStore>
  /** Opened once and shared; not_found (no_db_file) where there is none. */
  get (name: string): Promise<DocumentStore>
  has (name: string): boolean
  /** Returns what is stored of each, without opening any. */
  summaries (): Promise<Array<{ name: string, instanceId: string, updateSeq: number }>>
  /** The stores that are open now. */
  opened (): Promise<DocumentStore[]>
  /** Sorted by bytes. */
  list (): string[]
  destroy (name: string): Promise<void>
  /** Closes the stores, not the level. */
  close (): Promise<void>
}

/**
 * A database that another thread has open and writes. Each read is of what is stored at that moment;
 * nothing is kept that a write could make untrue.
 */
export type DocumentReader = Pick<DocumentStore, 'name' | 'closed' | 'partitioned' | 'instanceId' | 'updateSeq' | 'docCount' | 'get' |
  'openRevs' | 'bulkGet' | 'getAttachment' | 'allDocs' | 'changes' | 'revsDiff' | 'getLocal' | 'allLocal' | 'close'> & {
  /** Another text after each write. */
  readonly stateText: string
  /** The text of a value of `setMeta`: JSON. */
  metaText (key: string): string | undefined
}

/**
 * The databases of a catalogue that another thread has open (`Databases`), for reading, on a level that
 * answers at once and that threads share: a pool.
 */
export class DatabaseReaders {
  constructor (level: AbstractLevel<any, any, any>, options?: { prefix?: string })
  /** null where it is of an older layout, which only who writes it changes; not_found (no_db_file) where there is none. */
  get (name: string): DocumentReader | null
  /** Closes the readers, not the level. */
  close (): Promise<void>
}

/**
 * Reads a whole database, of which nobody writes meanwhile, and says what in it does not agree:
 * documents with changes, leaves with bodies, references with counts, contents with digests,
 * totals with all of it. Each problem is a sentence; there is none where all is well. What a crash
 * left and the next opening removes is no problem: `onLeftover` is told of it. If something is damaged
 * it goes on with the rest, and does not compare counts.
 */
export function check (level: AbstractLevel<any, any, any>, options?: CheckOptions): AsyncIterable<string>

export interface CheckOptions {
  prefix?: string
  onLeftover? (sentence: string): void
  /** The findings of a scrub of the level: with them, what is damaged is told by its document, and the rest is read. */
  faults?: Fault[]
}

/** Something damaged: a page of keys from `key` on, a long key that begins so, or the value of `key`. */
export interface Fault {
  kind: 'page' | 'key' | 'value'
  key: Uint8Array
}

/** The same of a catalogue (`Databases`) and of every database in it, whose name is then in front. */
export function checkDatabases (level: AbstractLevel<any, any, any>, options?: CheckOptions): AsyncIterable<string>

/** The same while others write, create and drop databases: each database as it is at one moment. */
export function checkOnline (level: AbstractLevel<any, any, any>, options?: { prefix?: string, faults?: Fault[] }): AsyncIterable<string>

/** Something that mending could not bring back. Ids of local documents are without `_local/`. */
export interface Loss {
  /** `document`: at `lostRev`, and it is back at `rev` if an older or conflicting revision is whole. `revision`: its
   * body. `attachment`: the content of `name`. `content`: an attachment whose documents are lost. `value`: a setting.
   * `database`: its own record. `name`: the database's name. `entry`: one of the catalogue. `key`: a key that
   * belonged to nothing. `range`: entries of keys or ids from `from` up to `to`, or some of them; no `to`: to the end. */
  kind: 'document' | 'revision' | 'attachment' | 'content' | 'local' | 'value' | 'purge' | 'database' | 'name' | 'entry' | 'key' | 'range'
  database?: string
  id?: string
  rev?: string
  lostRev?: string
  name?: string
  digest?: string
  length?: number
  key?: string
  of?: string
  from?: string
  to?: string
}

/** A loss that a storage knows of: the value of the key `from`, an entry whose key begins so, or keys from `from` up to `to`. */
export interface Missing {
  kind: 'value' | 'key' | 'page'
  from: Buffer
  to?: Buffer
}

/**
 * Makes a damaged database sound, in place, and yields what is lost of it. Nobody may have it open. What is whole stays
 * as it is: a document whose latest revision is lost goes back to the last one that is whole, an attachment
 * that is lost is taken out of its documents, and sequences, totals and references are worked out anew. Rows
 * of indexes are removed, and are made again when they are needed. The database gets a new instance id where
 * anything was changed, or with `renew`. Stopped anywhere, it can be done again.
 */
export function mend (level: AbstractLevel<any, any, any>, options?: { prefix?: string, renew?: boolean }): AsyncIterable<Loss>

/** The same of a catalogue (`Databases`) and of every database in it. A database whose name is lost is called `salvaged-<number>`. */
export function mendDatabases (level: AbstractLevel<any, any, any>, options?: { prefix?: string, renew?: boolean, missing?: Missing[] }): AsyncIterable<Loss>

/** A loss as a sentence, without its full stop. */
export function lossInWords (loss: Loss): string

/** The version of the layout of keys and records that this code writes. It brings older ones up to date. */
export const LAYOUT_VERSION: number

/**
 * JSON.parse for the text of a document, of `{ docs: [document, …] }`, or of what `documentsOf` takes documents of. Integers that JavaScript's
 * numbers cannot hold are numbers in the value as ever, and are stored as they stand in the text. A
 * number beyond all of JavaScript's (1e400) is a SyntaxError.
 */
export function parseExact (text: string, documentsOf?: (value: any) => any[] | undefined): any

/**
 * The document of a request: JSON in UTF-8 without a mark in front, and without strings that UTF-8 cannot hold. The same as
 * `parseExact` else; what is malformed is a bad_request. `documents`: containers around those that carry their text, see `carrySent`.
 */
export function parseJson (bytes: Buffer, documents?: number): any

/**
 * The same in turns. Large objects carry the names of their members along, for `namesOf`, and documents their text, which is what
 * a write stores. `documents`: containers around those that are documents, 0 of one by itself, 2 in `{ docs: [document] }`; `most`:
 * characters of a document's text, beyond which the rest is left out.
 */
export function parseLargeJson (bytes: Buffer, documents?: number, most?: number): Promise<any>

/** JSON.parse in turns, of what was not sent by somebody just now. `exact`: as `parseExact`. */
export function parseInTurns (text: string, options?: { exact?: boolean, documents?: number }): Promise<any>
/** JSON.stringify in turns, of JSON. */
export function stringifyInTurns (value: any): Promise<string>

/** Sets a member of a document that may carry integers or its text along: see `parseLargeJson`. */
export function setMember (doc: Record<string, any>, name: string, value: any): void

/** Object.keys of JSON of which no member was added or deleted since it was parsed. */
export function namesOf (object: object): string[]

/** A document's JSON without its special members, of which there are the names; `bytes` are of the body, Infinity of one that is too long to be written. */
export type CarriedText = { readonly body: string, special: string[], readonly bytes: number }
/** Has a copy that was made by spreading such a document, with other special members, carry its text, too. */
export function carryOver (copy: object): void
/** The text that this very document carries; a copy of it carries none. */
export function carriedText (doc: object): CarriedText | undefined
/** Writes terms in Erlang's external format, each from the beginning of its buffer. */
export class TermWriter {
  /** @param characters of JSON that the term will hold @param bytes of it besides */
  begin (characters: number, bytes: number): void
  /** The term, good until the next one begins. */
  end (): Buffer
  /** @param text JSON without white space, of any value */
  json (text: string): void
}

/**
 * Has documents of a JSON text, which `value` stands for, carry what was sent, less white space: the order of members, and
 * numbers as they were written. `documents` counts containers around them: 0 for one by itself, 1 for a list, 2 for `{ docs }`.
 */
export function carrySent (value: any, text: string, documents: number): void

/** The same of documents anywhere in it: `path` names members, and `*` all items of a list. One that is nested too deeply carries nothing. */
export function carrySentAt (value: any, text: string, path: string[]): void

/** Says whether a value of JSON is an object, and no list. */
export function isObject (value: any): boolean
/** JSON.stringify for a document of `parseExact`, or a copy of one with other underscore members: with its integers as they came. */
export function stringifyExact (doc: Record<string, any>): string

/** JSON.stringify for values that are nested more deeply than its stack is, up to `most` levels, 10,000 by default; bad_request beyond. */
export function stringifyAnyDepth (value: any, most?: number): string

/** A document of `parseExact` that compares as its JSON does: integers that JavaScript's numbers cannot hold differ where their digits do. */
export function exactForm (doc: Record<string, any>): Record<string, any>

/** JSON of what `choose` takes of a document as it is: integers of any size stay as they are. In turns where the document is large. */
export function chooseInTurns (document: Document, choose: (value: any) => any, options?: { encodings?: boolean }): string | Promise<string>

/** The document as CouchDB's JSON form, parsed: `_id`, `_rev`, … in front (for PouchDB's face). Attachments carry `stub: true` or `data` as given by `attachmentData`. With `exact` it carries its members along as they are stored, until one is set that is not special: so it can be written again. */
export function toObject (document: Document, options?: { attachmentData?: (data: Buffer, info: AttachmentInfo) => any, exact?: boolean }): Record<string, any>
/** The same, in turns where the document is large: a promise then. With `exact` a large one carries its text. */
export function toObjectInTurns (document: Document, options?: { attachmentData?: (data: Buffer, info: AttachmentInfo) => any, exact?: boolean }): Record<string, any> | Promise<Record<string, any>>
/** The document to be written again with other special members (`_attachments`). It has no others: they are carried as text. */
export function toEditable (document: Document): Record<string, any>
/** The same as JSON text, without parsing the body (for HTTP's face); attachment data in base64. With `encodings` attachments say how they are stored. */
export function toJson (document: Document, options?: { encodings?: boolean }): string
/** `{ encoding, encoded_length }` of what is stored compressed, else nothing. */
export function encodingForm (info: AttachmentInfo): { encoding?: string, encoded_length?: number }
/** Throws what a write of this document would be refused with, whatever is stored. */
export function validateDocument (doc: DocumentInput, options?: { newEdits?: boolean }): void
/** Throws unless it is the id of a document, a design document or a local document. */
export function validateId (id: unknown): void
/** Throws unless it may be a revision. */
export function validateRevision (rev: unknown): void

/** The order of ids: by the bytes of their UTF-8. Negative, 0 or positive. */
export function compareUtf8 (a: string, b: string): number

/** The partition of a document in a partitioned database; null of what is in none. */
export function partitionOf (id: string): string | null
/** The name itself; illegal_partition where no partition may have it. */
export function validatePartition (name: any): string
/** Throws illegal_docid or illegal_partition unless a document of a partitioned database may have the id. */
export function validatePartitionedId (id: string): void

/** Whole numbers from 0 on as short text whose order is theirs. For who keeps keys beside the store's. */
export function encodeNumber (number: number): string
export function decodeNumber (text: string): number

/** How long others have waited, for what goes through much: where a turn is long, they run before the next. */
export class Turn {
  readonly isLong: boolean
  end (): Promise<void>
}

/**
 * Does something with each element of a list, and lets others run in between: a promise only where it takes more than a turn.
 * The clock is looked at after a number of elements.
 */
export function inTurns<T> (list: T[], work: (element: T, index: number) => void, every?: number): void | Promise<void>

/** The same, for what each element becomes. */
export function mapInTurns<T, U> (list: T[], work: (element: T, index: number) => U, every?: number): U[] | Promise<U[]>
