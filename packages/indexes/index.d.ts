import { Databases, DocumentReader, DocumentStore, MemberStore } from '@potoroo/document-store'
import { QueryServer } from '@potoroo/query-server'
import { HighlightOptions, Sort } from '@potoroo/search'

/** The parameters of a view, in CouchDB's names. */
export interface ViewOptions {
  key?: any
  keys?: any[]
  startkey?: any
  start_key?: any
  startkey_docid?: string
  start_key_doc_id?: string
  endkey?: any
  end_key?: any
  endkey_docid?: string
  end_key_doc_id?: string
  inclusive_end?: boolean
  descending?: boolean
  limit?: number
  skip?: number
  reduce?: boolean
  group?: boolean
  group_level?: number
  include_docs?: boolean
  conflicts?: boolean
  attachments?: boolean
  /** With include_docs: attachments say how they are stored. */
  att_encoding_info?: boolean
  /** The only partition that is asked: of a view of a partitioned database, where it does not say otherwise, one has to be. */
  partition?: string
  update?: boolean | 'lazy'
  stale?: string
  update_seq?: boolean
}

/** Rows of a view: `{ id, key, value, doc? }`, or of a reduction `{ key, value }`, or `{ key, error, reason }` where it grew beyond its limit. */
export interface ViewRow { id?: string, key: any, value?: any, doc?: any, error?: string, reason?: string }

/**
 * The answer of a view. Its rows are read as they are asked for, a page at a time, and are all of one
 * moment, as its header is: iterate it (once, to its end or not), or close it.
 */
export interface ViewResult extends AsyncIterable<ViewRow[]> {
  /** Rows of the whole view; undefined of a reduction, as `offset`. */
  readonly totalRows?: number
  /** Rows before the first one of the answer. */
  readonly offset?: number
  /** The update sequence that the rows reflect. */
  readonly updateSeq: number
  /** Pages of rows, each as JSON text; nothing of it was parsed. */
  texts (): AsyncGenerator<string[]>
  /** All of it, in CouchDB's form. */
  toObject (): Promise<{ total_rows?: number, offset?: number, rows: ViewRow[] }>
  close (): Promise<void>
}

export interface BackgroundOptions {
  /** How many indexes are brought up to date at once, and how many more of those that are behind by less than `short` sequences. Default 20, 80, 1000. */
  channels?: () => { batch: number, incremental: number, short: number }
  /** Databases that are left alone. */
  ignores?: (database: string) => boolean
  /** An index that cannot be built is tried again after `pause`, and then ever later. */
  onError?: (error: any, database: string, design: string) => void
  /** Milliseconds that changes are gathered for. Default 1000. */
  delay?: number
  /** Milliseconds until an index that cannot be built is tried again; twice as many each time, to an hour. Default 5000. */
  pause?: number
}

/** The size that a reduction may come to: CouchDB's `reduce_limit`. */
export interface ReduceLimits {
  /** `log`: what is beyond is let through. */
  mode: 'true' | 'false' | 'log'
  /** Bytes of JSON up to which anything goes. */
  threshold: number
  /** How many times the result of more has to fit into what was reduced. */
  ratio: number
}

/** CouchDB's map/reduce views; their rows live in the database. Failures are a `CouchError`. */
export class Views {
  /** reduceLimits: asked for each reduction; default `true`, 5000, 2. log: hears of what is beyond, where it is let through. */
  constructor (options: { queryServer: QueryServer, reduceLimits?: () => ReduceLimits, log?: (message: string) => void })
  query (database: DocumentStore, designName: string, viewName: string, options?: ViewOptions): Promise<ViewResult>
  /** Several queries of one view, all of them checked before there is an answer to any; each answer is made when it is called for. */
  queries (database: DocumentStore, designName: string, viewName: string, several: ViewOptions[], reader?: MemberStore): Promise<Array<() => Promise<ViewResult>>>
  info (database: DocumentStore, designName: string): Promise<{ language: string, signature: string, update_seq: number, purge_seq: number, updater_running: boolean, waiting_clients: number, collator_versions: string[], sizes: { file: number, external: number, active: number }, views: string[] }>
  /** The updates that run in these databases, counted in sequences, with milliseconds of the clock. */
  tasks (databases: DocumentStore[]): Array<{ database: string, design: string | undefined, signature: string, done: number, total: number, startedAt: number, updatedAt: number }>
  /** Brings indexes up to date after their databases changed, until it is stopped. */
  inBackground (databases: Databases, options?: BackgroundOptions): { stop (): void }
  /** Returns the order and the reduction of a view whose rows are in several databases: the shards of one. */
  merged (database: { name: string, instanceId: string, partitioned: boolean }, ddoc: any, viewName: string): MergedView
  /** Drops rows that no design document asks for. */
  cleanup (database: DocumentStore): Promise<void>
}

/** The views of databases that another thread writes, at the moment at which they are asked for. */
export class StoredViews {
  /** As of `Views`; no function is called. */
  constructor (options: { queryServer: QueryServer, reduceLimits?: () => ReduceLimits, log?: (message: string) => void })
  /**
   * Returns what `Views.query` does, or null where the index has to be made or updated before, where a function reduces, and in a
   * database with access by document: nobody does that here.
   */
  query (database: DocumentReader, designName: string, viewName: string, options?: ViewOptions): Promise<ViewResult | null>
}

/** The order of a view's rows, and how reductions, as they are answered, are reduced again. */
export interface MergedView {
  collation: import('@potoroo/collation').Collation
  reduces: boolean
  hasDesigns: boolean
  partitioned: boolean
  rereduce (groups: any[][]): Promise<Array<{ value?: any, error?: string, reason?: string }>>
}

/** How a design document defines text indexes: `indexes` as with Clouseau, or `nouveau`. */
export type Dialect = 'search' | 'nouveau'

/** A search, in CouchDB's notations. */
export interface SearchArgs {
  q: string
  limit: number
  bookmark?: unknown
  sort?: unknown
  counts?: unknown
  ranges?: unknown
  drilldown?: unknown
  /** limit: hits of each group. */
  group?: { field: string, limit: number, sort: unknown }
  partition?: string
  /** false: as far as the index has come. */
  update?: boolean
  includeDocs?: boolean
  includeFields?: unknown
  highlightFields?: unknown
  highlighting?: HighlightOptions
  /** Language of the numbers in a query of `nouveau`. */
  locale?: string
  /** Milliseconds that it may take. */
  timeout?: number
  /** Whether somebody still waits: the search ends early where nobody does. */
  isWanted?: () => boolean
}

/** keys: what it is ordered by, and its number. doc: JSON. */
export interface SearchHit { id: string, keys: any[], score: number, fields: Record<string, any>, highlights?: Record<string, string[]>, doc?: string }

export interface SearchResult {
  total: number
  hits: SearchHit[]
  /** Keys of the last hit, or those of the bookmark. */
  after?: any[]
  /** Order of the hits; by relevance, if there is none. */
  sort?: Sort[]
  counts?: Record<string, Record<string, number>>
  ranges?: Record<string, Record<string, number>>
  /** best: keys that the group is ordered by. */
  groups?: Array<{ by: any, total: number, best: any[], hits: SearchHit[] }>
  /** Milliseconds that it was waited for the index. */
  latency: number
}

/** The text indexes of databases. Failures are a `CouchError`. */
export class Searches {
  constructor (options: { queryServer: QueryServer })
  /** design: without `_design/`. Throws a 400 of a query that cannot be read, or costs too much, and a 500 `timeout`. */
  search (database: DocumentStore, dialect: Dialect, design: string, name: string, args: SearchArgs): Promise<SearchResult>
  info (database: DocumentStore, dialect: Dialect, design: string, name: string): Promise<{ signature: string, documents: number, bytes: number, seq: number, purgeSeq: number, pending: number }>
  /** Drops the indexes that no design document asks for. */
  cleanup (database: DocumentStore, dialect: Dialect): Promise<void>
}

/** The text indexes of databases that another thread writes, at the moment at which they are asked for. */
export class StoredSearches {
  constructor (options: { queryServer: QueryServer })
  /** Returns what `Searches.search` does, or null where the index has to be made or updated before, which nobody does here. */
  search (database: DocumentReader, dialect: Dialect, design: string, name: string, args: SearchArgs): Promise<SearchResult | null>
}

/** A place in the order of hits as text, and back. Throws a 400 of what is none. */
export function packBookmark (keys: any[]): string
export function unpackBookmark (bookmark: unknown, sorts?: Sort[]): any[] | undefined
/** Places in several shards; those of a first page are null. */
export function unpackBookmarks (bookmark: unknown, shards: number): Array<any[] | null>
/** Reads `sort`, in CouchDB's notation. */
export function readSorts (sort: unknown): Sort[] | undefined
export { analyzer, comparator } from '@potoroo/search'

/** Refuses a design document that CouchDB refuses when it is written: members of wrong types, functions that cannot be compiled. */
export function checkDesign (ddoc: any, queryServer: QueryServer, database?: { partitioned?: boolean }, options?: { newEdits?: boolean }): Promise<void>

/** Hears of a query while it brings its index up to date. */
export interface Observer {
  /** Sequences that are to be looked at. */
  onStart?: (total: number) => void
  onStep?: (step: { seq: number, documents: number }) => void
  onEnd?: (error?: any) => void
  /** A function of the application's threw; about: what it was given. */
  onError?: (error: any, about: any) => void
}

/** The work of pouchdb-find on the rows of its query. */
export interface Wanted {
  /** As pouchdb-selector-core massages it. */
  selector: any
  /** Fields of it that the query's range does not decide. */
  fields: string[]
  /** How many rows are taken, with those that are skipped. */
  most: number
  /** By how many fields of the index they are sorted; 0: as they come. */
  sorted: number
}

/** An event of a live selector. One that enters or changes has its `doc`, as the search gave it, or its `document`, as the store reads it. */
export interface SelectorEvent {
  type: 'enter' | 'change' | 'leave' | 'ready' | 'reset'
  id?: string
  doc?: any
  document?: Document
  bookmark: string
}

/** Whether the rows of an index, defined as pouchdb-find lists it, have all documents that a selector accepts. */
export function hasAllRows (selector: Record<string, any>, definition: { fields: Array<Record<string, string>>, partial_filter_selector?: any }): boolean
/** Returns the fields of a document that pouchdb-find gives. */
export function pickFields (doc: Record<string, any>, fields: string[]): Record<string, any>

export interface EmbeddedAnswer {
  total_rows?: number
  offset?: number
  /** With `include_docs` a row has its `document`, as the store reads it, where there is one. */
  rows: any[]
  update_seq?: number
}

/**
 * The views and Mango indexes of an application's own PouchDB: what pouchdb-mapreduce and pouchdb-find
 * ask for, in their names, with PouchDB's collation. Functions run in this process. Options are those
 * of `db.query`. Failures are a `CouchError` in PouchDB's words.
 */
export class EmbeddedViews {
  constructor (store: DocumentStore)
  /** A view of a design document: `design/view`, or `name` for both. */
  query (name: string, options: Record<string, any>, observer: Observer): Promise<EmbeddedAnswer>
  /** A Mango index of pouchdb-find's. */
  queryIndex (name: string, options: Record<string, any>, observer: Observer): Promise<EmbeddedAnswer>
  /** The rows of a Mango index, with their `doc`, that pouchdb-find would keep of its query: no more is read than they need. */
  findInIndex (name: string, options: Record<string, any>, wanted: Wanted, observer: Observer): Promise<{ rows: any[] }>
  /** The same of all documents, with options of `allDocs`. */
  findInAll (options: Record<string, any>, wanted: Wanted): Promise<{ rows: any[] }>
  /**
   * Follows what a selector of pouchdb-find's accepts, until the signal or the end of the store: pages of events as those of `liveFind`. `search` gives the documents that it accepts now; by default all documents are read.
   */
  follow (selector: Record<string, any>, options: {
    search?: () => Promise<any[]>, bookmark?: string, known?: Record<string, string | null>, signal?: AbortSignal
  }): Promise<AsyncIterable<SelectorEvent[]> & { readonly bookmark: string }>
  /** The design documents that may have Mango indexes, as objects that the caller may change. */
  indexDocuments (): Promise<any[]>
  /** A view that is in no design document; its rows are made for this query, in memory. */
  queryTemporary (view: { map: Function | string, reduce?: Function | string }, options: Record<string, any>, observer: Observer): Promise<EmbeddedAnswer>
  /** The same with rows that are kept, under the name `options.saveAs`, until they are dropped. */
  querySaved (view: { map: Function | string, reduce?: Function | string }, options: Record<string, any>, observer: Observer): Promise<EmbeddedAnswer>
  dropSaved (name: string): Promise<void>
  /** Drops the rows of indexes that no design document has any more. */
  cleanup (): Promise<void>
}

/** The answer to a find. */
export interface FindAnswer {
  /** The documents as JSON, page by page, as they are found. */
  texts (): string[][] | AsyncGenerator<string[]>
  /** All of them, as objects, in the place of `texts`. */
  all (): Promise<any[]>
  /** In the place of `texts`, for the answers of several databases to be merged: `{ at, order, doc }` each. */
  placedTexts (): AsyncGenerator<string[]>
  /** How they are found; `isNothing`: nothing can match. */
  readonly plan: { print: string, merges: boolean, isNothing: boolean, warnings: string[] }
  /** Work so far. */
  readonly figures: {
    keys: number, documents: number, returned: number, milliseconds: number
    /** The same as `warning`: no index fits, the one that was asked for does not, many documents were looked at for each that was given. */
    warnings: { unindexed: boolean, invalidIndex: boolean, tooMany: boolean }
  }
  /** After the documents. */
  summary (): { bookmark: string, warning?: string, execution_stats?: any }
  /** Lets go of the moment that it is of, where it has one: to be called once nothing more is read. */
  close (): Promise<void>
}

/** When an index is learned, kept and forgotten. */
export interface AdaptiveSettings {
  /** How often a shape of finds has to be asked. Default 2. */
  askThreshold?: number
  /** In smaller databases nothing is learned. Default 1000. */
  minDocuments?: number
  /** Learned indexes of a database. Default 8. */
  maxIndexes?: number
  /** Bytes of one of them, and of all of a database. Default 1 GiB. */
  maxSize?: number
  /** Shapes of a database that are noted while they have no index. Default 64. */
  maxShapes?: number
  /** Changes that a find waits for; more are indexed in the background. Default 1000. */
  catchUp?: number
  /** Milliseconds without being asked after which an index is no longer maintained. Default a day. */
  restAfter?: number
  /** Milliseconds without being asked after which it is dropped. Default 30 days. */
  dropAfter?: number
  /** Milliseconds that changes are gathered for before they are indexed. Default 1000. */
  delay?: number
}

/**
 * Indexes that databases learn from what `Mango` is asked: what no index serves, and is asked again, gets
 * one of its own, built in the background. No document says so, and nothing of it replicates.
 */
export class AdaptiveIndexes {
  /**
   * isDefault: whether databases learn that do not say so themselves, by default yes; now: milliseconds; onError: of what
   * failed where nobody waits.
   */
  constructor (options?: { isDefault?: () => boolean, settings?: AdaptiveSettings, now?: () => number, onError?: (error: Error) => void })
  /**
   * Lets a database learn, which it remembers, or not: then what it learned is dropped. null: as the others do. One with `true`
   * answers sorts that no index serves, too, which the others refuse as CouchDB does.
   */
  enable (database: DocumentStore, own: boolean | null): Promise<void>
  /** `own` is its own word, where it has one; `shapes` are those that were asked and have no index. */
  describe (database: DocumentStore): Promise<{ enabled: boolean, own: boolean | null, indexes: any[], shapes: any[] }>
  /** Keeps what a database has learned up to date from now on: else it does from its first find. */
  follow (database: DocumentStore): Promise<void>
  /** Drops what nobody has asked for in a long time; it is done by itself once a minute. */
  review (database: DocumentStore): Promise<void>
  /** Resolves when the work in the background has ended. */
  settled (database: DocumentStore): Promise<void>
}

/** Finds by selectors: the bodies and answers of CouchDB's `_find`, `_explain` and `_index`. */
export class Mango {
  /**
   * adaptive: indexes that are learned from what is asked. defaultLimit: documents of a find that does not say how many,
   * default 25. warnAbove: documents looked at for each that is given, above which there is a warning; default 10, 0 for never.
   */
  constructor (options?: { adaptive?: AdaptiveIndexes, defaultLimit?: () => number, warnAbove?: () => number })
  /** plan: the `print` of the one to find them by, where several databases are asked and their answers merged; '' is any. */
  search (database: DocumentStore, body: any, plan?: string, reader?: MemberStore, isWanted?: () => boolean): Promise<FindAnswer>
  /** The ranks of a find with `vector` and `$text`, where several databases mix theirs: by the vectors, and by the text. */
  ranks (database: DocumentStore, body: any, reader?: MemberStore, isWanted?: () => boolean): Promise<RankList[]>
  find (database: DocumentStore, body: any): Promise<{ docs: any[], bookmark: string, warning?: string, execution_stats?: any }>
  explain (database: DocumentStore, body: any, reader?: MemberStore): Promise<any>
  list (database: DocumentStore, part?: { limit?: number, skip?: number, adaptive?: boolean }): Promise<{ total_rows: number, indexes: any[] }>
  create (database: DocumentStore, body: any): Promise<{ result: 'created' | 'exists', id: string, name: string }>
  delete (database: DocumentStore, designName: string, name: string, type?: 'json' | 'text' | 'nouveau' | 'vector'): Promise<{ ok: true }>
  bulkDelete (database: DocumentStore, body: { docids: string[], w?: number }): Promise<{ success: any[], fail: any[] }>
}

/** Finds in databases that another thread writes, at the moment at which they are asked for. */
export class StoredMango {
  /** As of `Mango`. */
  constructor (options: { defaultLimit: () => number, warnAbove: () => number })
  /**
   * Returns what `Mango.search` does, to be closed; or null where an index has to be made, updated or learned before, where there is a choice
   * among several ways, and where documents are found by text or vectors, by no index, or with access by document: nobody does that here.
   */
  search (database: DocumentReader, body: any, isWanted?: () => boolean): Promise<FindAnswer | null>
}

/** A database that live finds follow, or that which some users see of it. */
export type LiveSource = Pick<DocumentStore, 'closed' | 'instanceId' | 'updateSeq' | 'purgeSeq' | 'isOfMember' | 'changes' | 'follow' | 'purges' | 'bulkGet' | 'on' | 'off'> | MemberStore['liveSource']

export interface LiveOptions {
  /** The source of the commits, by default the database itself. All live finds of one source are told by one follower. */
  source?: LiveSource
  /** The member who asks, of a database with access by document: they are told of what they may see. Their bookmark says no place: with `known` they get what differs, without it all. */
  reader?: MemberStore
  /** Documents that the result may have. Default 100,000. */
  most?: number
  /** Events that may wait for a reader; one who is slower goes on reading from the store, so that memory stays bounded. Default 2048. */
  mostWaiting?: number
  /** Ends it. */
  signal?: AbortSignal
}

/**
 * Pages of events as JSON text, until it is ended, the database closes, or it fails. First come the documents that match now
 * (`enter`) and `ready`, or what has happened since the bookmark and `ready`; then what each commit makes of the result:
 * `{ type: 'enter' | 'change', id, doc, bookmark }`, `{ type: 'leave', id, bookmark }`. `{ type: 'reset', bookmark }` says that the
 * bookmark means nothing any more: all documents that match come again.
 */
export interface LiveFind extends AsyncIterable<Array<{ text: string, bookmark: string }>> {
  /** Goes on behind all events that were given. */
  readonly bookmark: string
  /** Whether its first result was given. */
  readonly isReady: boolean
  end (): void
}

/**
 * Finds documents, and tells what enters, leaves and changes from then on. `body` is that of `Mango.find` without `limit`,
 * `skip`, `conflicts`, `execution_stats`, `update` and `stale`; its `bookmark` is one of a live find, and `known` may say what its
 * client has: ids and revisions, or null in their place. A malformed one throws a `CouchError`.
 */
export function liveFind (mango: Mango, database: DocumentStore, body: any, options?: LiveOptions): Promise<LiveFind>
/** How many live finds a source has, and of how many shapes: a commit costs one look into a table for each shape. */
export function liveFigures (source: LiveSource): { queries: number, shapes: number }

/** How a query is carried out: what Mango is asked, by which index, and the steps that are left. */
export interface JsonQueryPlan { finds: Array<{ find: any, index: any, adaptive?: any, steps: string[] }> }

/** A JSONQuery, as Persevere and `dojox.json.query` have it. It is read, and never run as code. */
/** isWanted: whether somebody still waits; reader: the member who asks, in a database with access by document; onFind is told what each find took. */
export interface JsonQueryOptions { isWanted?: () => boolean, reader?: MemberStore, onFind?: (figures: FindAnswer['figures']) => void }

export class JsonQuery {
  /** parameters: for `$1` to `$9`. Throws `query_parse_error`, with the character at which it goes wrong, and `query_too_large`. */
  constructor (text: string, parameters?: Array<string | number | boolean | null>)
  /** Asks one value. */
  of (value: any): Promise<any>
  /** The same as JSON. */
  textOf (value: any): Promise<string>
  /** Asks the list of all documents of a database but design documents, in the order of their ids. */
  in (mango: Mango, database: DocumentStore, options?: JsonQueryOptions): Promise<any>
  /** The same as JSON. */
  textIn (mango: Mango, database: DocumentStore, options?: JsonQueryOptions): Promise<string>
  explain (mango: Mango, database: DocumentStore, options?: { reader?: MemberStore }): Promise<JsonQueryPlan>
}

/** A document that one of several databases found, with its row. */
export interface PlacedRow { at: [number, any, string], order: any[] }

/** The first ids of an order, each with the values that it is compared by; descending: whether these fall. */
export interface RankList { descending: boolean[], rows: Array<[id: string, values: any[]]> }

/** The ids of one of several databases, with their place among those of all: the member `ranked` of what it is asked. */
export type RankedPart = Array<[id: string, place: number, rank: number]>

/** A find in several databases, which are the shards of one: what each is asked, and how the answers are joined. */
export class MergedFind {
  constructor (body: any, options: { databases: number, defaultLimit: number })
  readonly limit: number
  readonly skip: number
  readonly stats: boolean
  readonly partition: string
  readonly isQuorum: boolean
  /** Whether ranks by vectors and by text are mixed: then all are asked for `Mango.ranks` first. */
  readonly mixes: boolean
  mix (answers: RankList[][]): RankedPart[]
  readonly bookmark: { print: string, places: Array<PlacedRow['at'] | null> } | null
  bookmarkOf (print: string, at: PlacedRow['at']): string
  nextBookmark (print: string, places: Array<PlacedRow['at'] | null>): string
  comparison (plan: { merges: boolean }): (a: PlacedRow, b: PlacedRow) => number
}

/** The id of the design document that an index is written into. */
export function designOfIndex (body: any, isPartitioned: boolean): string
/** The warning of a find that looks at more than `above` documents for each that it gives, if it is due. */
export function highProportion (figures: { documents: number, returned: number }, above: number): string[]

/** Compiles a Mango selector: a function of the document. A malformed one, or one of more than 10,000 conditions, throws a `CouchError` with status 400. */
export function compileSelector (selector: any): (doc: any) => boolean
/** The same for documents of any size; `length` is of the document's text. A promise where others run in between; `asker`, the name of a database, waits beside others for a `$regex` that takes long. */
export function compileSelectorInTurns (selector: any): (doc: any, length: number, asker?: string) => boolean | Promise<boolean>

/** The rule of a design document's `validate_schema`, `{ schema, selector? }`. */
export interface SchemaRule {
  /** The design document's name, without `_design/`. */
  readonly name: string
  /** A FORBIDDEN that names the paths that fail, or null. `length` is of the document's text. A promise where others run in between. */
  check (doc: any, length?: number): Error | null | Promise<Error | null>
}

/** The rule of a design document, null if it has none. A malformed one throws a `CouchError` with status 400. */
export function compileRule (ddoc: any): SchemaRule | null

/** A schema of JSON Schema 2020-12, and the Mango selector of the documents that have to fit it. */
export interface StoredSchema { name: string, ddoc: string, rev: string, schema: any, selector: any }

/** The schemas of a database: that of name `person` is `validate_schema` of `_design/person`. */
export function listSchemas (database: DocumentStore): Promise<StoredSchema[]>
export function getSchema (database: DocumentStore, name: string): Promise<StoredSchema>
export function putSchema (database: DocumentStore, name: string, body: { schema: any, selector?: any }): Promise<{ ok: true, id: string, rev: string, result: 'created' | 'exists' }>
/** Removes a schema, and its design document if that has nothing else. */
export function deleteSchema (database: DocumentStore, name: string): Promise<{ ok: true, id: string, rev: string }>

/** How long others have waited, for what looks at many documents. */
export { Turn } from '@potoroo/document-store'

/** Returns a function that gives these fields of a document, named as in `_find`; all of it if there are none. Malformed ones throw a `CouchError` with status 400. */
export function compileFields (fields: any): (doc: any) => any
