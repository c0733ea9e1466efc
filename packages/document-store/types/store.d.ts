/// <reference types="node" />
import { AbstractLevel } from 'abstract-level'
import { EventEmitter } from 'node:events'
import { AttachmentInfo, ContentSource, Document, DocumentInput, GetOptions, Origin, ReadOptions, Transaction, WriteOptions, WriteResult } from './documents'
import { AllDocsOptions, AllDocsResult, Changes, ChangesOptions, MemberChange, RangeOptions } from './lists'

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

/** Says what is kept of earlier versions: as long as `retain` (`30d`), and as many of each document as `versions`. null: no such limit. */
export interface Retention {
  retain: string | null
  versions: number | null
  /** The sequence from which on every moment can be read, and its time, milliseconds. */
  since: number
  sinceTime: number
}

/** A version of a document: what one change has made of it. */
export interface HistoryEntry extends Origin {
  rev: string
  deleted: boolean
  /** JSON Patch (RFC 6902) from the version before; of the oldest one that is kept there is none. JSON text. */
  patch?: string
}

export interface PurgeOptions {
  purgedInfosLimit?: number
  /** Gets the leaves that went, by id, as they go: there may be many. The result says nothing of them then. */
  take?: (purged: Array<[string, string[]]>) => void
}

/** A compaction under way: bodies of revisions looked at, and how many there are; times in milliseconds. */
export interface CompactionProgress { readonly done: number, readonly total: number, readonly startedAt: number, readonly updatedAt: number }

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
  /** Whether a database that is made here has access by document, for ever. Default false. */
  access?: boolean
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
  /** The clock: milliseconds. Default Date.now. */
  now?: () => number
  /** Is told when nobody knows what is stored: a write failed with LEVEL_FENCED or LEVEL_UNAVAILABLE. */
  onUnsure?: () => void
}

/**
 * One database. Emits after each commit:
 * `written` (`{ id, rev, deleted, seq }` of each document, as it is now), `commit` (the last sequence; cheap). Beside that `compaction` after each step of one, `purge` after each, `close`, `destroy`.
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
  /** Documents whose winner is deleted. */
  readonly deletedCount: number
  readonly instanceId: string
  /** Whether ids are `partition:rest`: it was made so. Other ids are refused, as in CouchDB. */
  readonly partitioned: boolean
  /** Whether documents say in `_access` who may see them: it was made so. */
  readonly byDocument: boolean
  readonly isOfMember: false
  /** With `byDocument`: the database as a user has it who does not administer it. */
  forMember (user: { name: string | null, roles: readonly string[] }): MemberStore
  revsLimit: number
  /** Returns itself: live queries of @potoroo/indexes are told together for all who see the same of a database. */
  readonly liveSource: DocumentStore
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

  /** Whether the level has `getSync` and `entriesSync` and answers at once, as persistent memory does: without, the next three are not_implemented. */
  readonly readsAtOnce: boolean
  /** The winner as it is now, a deleted one too; null where there was none. */
  getSync (id: string): Document | null
  /** The live leaves that did not win. */
  conflictsSync (id: string): Document[]
  /** Live winners, aligned, without waiting; undefined where the level makes one wait, and where they are long. */
  winnersSync (ids: string[]): Array<Document | undefined> | undefined
  /** Documents that are not deleted, by id, from the first that comes after `after` on. */
  pageSync (options: { after?: string, limit: number }): Document[]

  /**
   * Writes documents, local ones too, in one commit, or in several one after another where they are more than 1000 or 4 MB (with `allOrNothing` in one); results are aligned with `docs`. A CouchError in
   * the place of a document, one that was refused before, is its result.
   */
  write (docs: Array<DocumentInput | Error>, options?: WriteOptions): Promise<WriteResult[]>
  /** Commits what a `DocumentReader` has prepared; null, with nothing written, where it is of another database, or one with access by document. */
  writePrepared (write: PreparedWrite): Promise<PreparedResult[] | null>
  /** The same for one document; throws its error. */
  put (doc: DocumentInput, options?: WriteOptions): Promise<{ ok: true, id: string, rev: string }>

  /**
   * Writes all documents in one commit if all reads still hold then, or nothing. Fails with CONFLICT, whose `conflicts` are what
   * has changed with the revisions there are now, or with what the first document is refused with. `bad_request` for an id
   * that comes twice.
   */
  transact (transaction: Transaction, options?: WriteOptions): Promise<Array<{ ok: true, id: string, rev: string }>>

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

  /** Says what is kept of earlier versions; null: nothing. */
  readonly retention: Retention | null
  /**
   * Says how long earlier versions are kept and how many of each document. A version goes, at the next compaction, if it is
   * beyond one of both. Without either, nothing is kept from here on.
   */
  setRetention (limits: { retain?: string | null, versions?: number | null }): Promise<void>
  /** The versions of a document, the latest first, as far as they are kept; not_found of one that was never there. */
  history (id: string, options?: { limit?: number }): AsyncIterable<HistoryEntry[]>

  getLocal (id: string): Promise<{ id: string, rev: string, body: string }>
  putLocal (doc: DocumentInput, options?: Pick<WriteOptions, 'keepLocal' | 'checkLocal'>): Promise<{ ok: true, id: string, rev: string }>
  removeLocal (doc: { _id: string, _rev?: string }, options?: Pick<WriteOptions, 'checkLocal'>): Promise<{ ok: true, id: string, rev: string }>
  allLocal (options?: RangeOptions & { keys?: string[] }): Promise<Array<{ id: string, rev: string, body: string }>>

  /** Without rev, of the winner; of a `document` that was read before, which takes no reading again. `read` gives a part (bytes, end exclusive) or all; `stream` pages through it, and `streamStored` through the bytes as they are stored. */
  getAttachment (id: string, name: string, options?: { rev?: string, document?: Document }): Promise<AttachmentInfo & {
    rev: string
    read (start?: number, end?: number): Promise<Buffer>
    stream (start?: number, end?: number): AsyncIterable<Buffer>
    streamStored (start?: number, end?: number): AsyncIterable<Buffer>
  }>
  putAttachment (id: string, name: string, attachment: { contentType: string, data: ContentSource | string, length?: number, digest?: string, encoding?: 'gzip' }, options?: { rev?: string, user?: WriteOptions['user'] }): Promise<{ ok: true, id: string, rev: string }>
  removeAttachment (id: string, name: string, options: { rev: string, user?: WriteOptions['user'] }): Promise<{ ok: true, id: string, rev: string }>

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
   * others left has a new change. Revisions that are not leaves stay. A purge does not replicate.
   * @see https://docs.couchdb.org/en/stable/api/database/misc.html#db-purge
   */
  purge (revs: Record<string, string[]>, options?: PurgeOptions): Promise<PurgeResult>
  /** The last purge sequence, 0 before the first purge. */
  readonly purgeSeq: number
  /**
   * The purges after `since`, oldest first, as far as they are remembered: from `oldest` (`last + 1`
   * where there are none) to `last`. An index reads them before a snapshot of changes, takes the rows
   * of each `id` from the document as it is then (a document may have come again), and keeps
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
 * A database with access by document as one of its members has it: verbs of a store that give and take what is theirs. Documents of others
 * are missing, a write to them is refused, and local documents are each user's own. Sequences are texts that tell nothing of others.
 */
export type MemberStore = Pick<DocumentStore, 'name' | 'closed' | 'instanceId' | 'partitioned' | 'byDocument' | 'designSeq' | 'purgeSeq' | 'revsLimit' | 'get' |
  'openRevs' | 'bulkGet' | 'revsDiff' | 'getAttachment' | 'write' | 'put' | 'putAttachment' | 'removeAttachment' | 'getLocal' |
  'allLocal' | 'putLocal' | 'removeLocal'> & {
    readonly isOfMember: true
    /** For live queries of @potoroo/indexes: the member's part with the database's sequences, which nobody is shown. */
    readonly liveSource: Pick<DocumentStore, 'closed' | 'instanceId' | 'updateSeq' | 'purgeSeq' | 'changes' | 'follow' | 'purges' | 'bulkGet' | 'on' | 'off'> & { readonly isOfMember: true, readonly bookmark: string, isBookmark (text: string): boolean }
    /** The member's principals: see `principalsOf`. */
    readonly principals: string[]
    /** Counts of theirs; sizes are 0. */
    info (): Promise<Omit<Info, 'updateSeq' | 'purgeSeq'> & { updateSeq: string, purgeSeq: string }>
    allDocs (options?: AllDocsOptions): Promise<Omit<AllDocsResult, 'updateSeq'> & { updateSeq: string }>
    /** `since` is one of their sequences, or `now`; any other text is the start. */
    changes (options?: Omit<ChangesOptions, 'since'> & { since?: string }): MemberChanges
    follow (options?: Omit<ChangesOptions, 'since'> & { since?: string, signal?: AbortSignal }): MemberChanges
  }

/** `pending` is undefined where there are too many to be counted. */
export interface MemberChanges extends AsyncIterable<MemberChange[]> { readonly lastSeq: string, readonly pending: number | undefined }

/**
 * A write that one thread has prepared for another to commit: of the database of this name with this instance id, by this user (null:
 * nobody). `edits` are texts that the same release understands, and can be sent anywhere.
 */
export interface PreparedWrite { name: string, instanceId: string, user: string | null, edits: string[] }

/** The outcome of one edit: its revision, or the details of an error. */
export type PreparedResult = string | { code: string, reason: string, id?: string, rev?: string }

/** Has `DocumentStore.writePrepared` called by the thread that has the database open, after whatever else has to be checked. null: it cannot be done so. */
export type CommitPrepared = (write: PreparedWrite) => Promise<PreparedResult[] | null>

/**
 * A database that another thread has open and writes. Each read is of what is stored at that moment;
 * nothing is kept that a write could make untrue.
 */
export type DocumentReader = Pick<DocumentStore, 'name' | 'closed' | 'partitioned' | 'byDocument' | 'isOfMember' | 'forMember' | 'instanceId' | 'updateSeq' | 'docCount' | 'get' |
  'openRevs' | 'bulkGet' | 'getAttachment' | 'allDocs' | 'changes' | 'revsDiff' | 'getLocal' | 'allLocal' | 'close'> & {
  /** Another text after each write. */
  readonly stateText: string
  /** The space in which @potoroo/indexes keeps rows, to be read of a snapshot alone. Not for others. */
  readonly indexSpace: any
  /** The counts of a snapshot of it, or of now. */
  momentOf (snapshot?: any): { updateSeq: number, purgeSeq: number }
  /** A document as it is in a snapshot: throws MISSING, DELETED. */
  getOf (id: string, snapshot: any): Promise<Document>
  /** Live documents as they are in a snapshot, aligned, without waiting; undefined where they are long. */
  winnersOf (ids: string[], snapshot: any): Array<Document | undefined> | undefined
  /** The text of a value of `setMeta`: JSON. */
  metaText (key: string): string | undefined
  readonly preparesWrites: true
  /**
   * Takes documents apart and works out their revisions, and has them committed: see `DatabaseReadersOptions`. Returns null, with
   * nothing written, where the owner has to be given the documents: local documents, attachments, refusals, more than 1,000 documents,
   * a database with access by document, or options besides `newEdits`, `strict`, `checkLocal` and `user`.
   */
  write (docs: DocumentInput[], options?: WriteOptions): Promise<WriteResult[] | null>
}
