/// <reference types="node" />
import { DocumentStore, ShardedDatabase } from '@potoroo/document-store'

/** Ends an import, or skips a revision. */
export class ImportError extends Error {
  code: 'SOURCE_NOT_FOUND' | 'SOURCE_FORMAT' | 'SOURCE_LOCKED' | 'SOURCE_UNREADABLE' | 'SOURCE_UNREACHABLE' |
    'SOURCE_REFUSED' | 'EXPORT_DAMAGED' | 'NOT_COUCHDB' | 'UNAUTHORIZED' | 'DAMAGED'
  /** The status of HTTP, if there was an answer. */
  status?: number
}

export interface HttpOptions {
  /** Tries of a request that may succeed later: a lost connection, 408, 429, 500 and above except 501. Default 8, about a minute. */
  tries?: number
  signal?: AbortSignal
  /** Called before a request is tried again. */
  onPause?: (message: string) => void
}

/** A database to read from. `changes`, `read` and what else there is are for `importDatabase`. */
export interface Source {
  readonly name: string
  /** A path, or a URL without credentials. */
  readonly label: string
  /** Whether its ids are `partition:rest`: a target that is made for it is to be partitioned, too. */
  readonly partitioned: boolean
  /** The number of its shards, if it has several and a target that is made for it is to have as many. */
  readonly q?: number
  close (): Promise<void>
}

/** A database of pouchdb-adapter-leveldb in its folder. No other process may have it open. */
export class PouchLevelSource implements Source {
  /** SOURCE_NOT_FOUND, SOURCE_FORMAT, SOURCE_LOCKED, SOURCE_UNREADABLE. */
  static open (name: string, folder: string): Promise<PouchLevelSource>
  readonly name: string
  readonly label: string
  readonly partitioned: boolean
  close (): Promise<void>
}

export interface Address {
  /** Without credentials and without a slash at its end. */
  url: string
  /** The value of the header. */
  authorization?: string
}

/** `http://name:password@host/path`, taken apart; `segments` of the path, decoded. */
export function parseAddress (text: string): Address & { segments: string[] }

/** A database of a server that speaks CouchDB's protocol. */
export class CouchSource implements Source {
  /** `uuid` of the server tells its databases from those of another at the same address. */
  static open (address: Address & { name: string, uuid?: string }, options?: HttpOptions): Promise<CouchSource>
  readonly name: string
  readonly label: string
  readonly partitioned: boolean
  close (): Promise<void>
}

/** A database in a file of `exportLines`. It is checked as a whole when it is opened. */
export class ExportSource implements Source {
  /** SOURCE_FORMAT, EXPORT_DAMAGED. */
  static open (file: string): Promise<ExportSource>
  readonly name: string
  readonly label: string
  readonly partitioned: boolean
  readonly q?: number
  close (): Promise<void>
}

/**
 * A document store as a source, by way of a temporary export. It must not be written to until this
 * resolves; afterwards it is no longer needed.
 */
export function openStoreSource (store: DocumentStore, names: { name: string, label: string }): Promise<ExportSource>

export interface ExportCounts { documents: number, revisions: number, attachments: number, locals: number, lines: number }

/**
 * The lines of an export of a store that nobody writes to meanwhile, each with its line feed, and what came so far. A
 * database of several shards has the stores of all its shards, in their order.
 */
export function exportLines (store: DocumentStore | DocumentStore[], database?: ShardedDatabase): AsyncGenerator<{ line: Buffer, counts: ExportCounts }, void>

/** The name of a database's file in a folder of exports. */
export function exportFileName (name: string): string

export interface Found {
  /** The server's uuid, if the place is a server. */
  uuid?: string
  databases: Array<{ name: string, label: string, open (): Promise<Source> }>
}

/**
 * The databases at a place: a file of `exportLines`, a folder of those, a folder of PouchDB's LevelDB, a folder of several, the URL of a
 * database, or of a server.
 */
export function findSources (place: string, options?: HttpOptions): Promise<Found>

export interface Target {
  readonly label: string
  /** Whether it has access by document. */
  readonly byDocument: boolean
}

/** A document store to write into. */
export class StoreTarget implements Target {
  constructor (store: DocumentStore)
  readonly label: string
  readonly byDocument: boolean
}

/** A database of a server that speaks CouchDB's protocol, to write into. It is made where it is not there. */
export class CouchTarget implements Target {
  static open (address: Address, options?: HttpOptions, create?: { partitioned?: boolean, access?: boolean, q?: number }): Promise<CouchTarget>
  readonly label: string
  readonly byDocument: boolean
  close (): Promise<void>
}

/** A thing that did not come over, and why. */
export interface Skipped {
  id: string
  /** Absent where it is the whole document, or a local one. */
  rev?: string
  reason: string
}

export interface Summary {
  /** Documents of which something was written. */
  documents: number
  /** Leaf revisions written. */
  revisions: number
  /** Attachments of these revisions. */
  attachments: number
  /** Bytes of attachments that were read. */
  bytes: number
  locals: number
  /** Leaf revisions that were there already. */
  present: number
  /** Replication checkpoints whose sequences do not hold in the target. */
  checkpointsLeftOut: number
  /** Whether every document has the sequence that it had in the source, or a later one. */
  sequencesKept: boolean
  /** Whether strangers may read and write the database; undefined where an earlier import brought the security object. */
  isPublic: boolean | undefined
  skipped: Skipped[]
}

export interface ImportOptions {
  /** Whether the security object comes over. Default true. */
  security?: boolean
  /** Whether a database that everybody may read stays so. Default false: then only administrators may, until `_security` lets others in. */
  open?: boolean
  signal?: AbortSignal
  /** After each commit. `done` and `left` are of the same unit, which is not documents. */
  onProgress?: (state: Summary & { done: number, left: number }) => void
  onSkip?: (skipped: Skipped) => void
  onNotice?: (message: string) => void
}

/**
 * Brings a database over: every leaf revision with its history, attachments, local documents, and the
 * first time its security object and revision limit. It remembers in a local document of the target
 * how far it came, in the same commit as the documents, and goes on there.
 */
export function importDatabase (source: Source, target: Target, options?: ImportOptions): Promise<Summary>

export interface Verdict {
  documents: number
  revisions: number
  attachments: number
  locals: number
  differences: number
}

export interface VerifyOptions {
  /** Whether security objects are compared, by whom they let in. Default true. */
  security?: boolean
  /** As of the import. */
  open?: boolean
  signal?: AbortSignal
  onProgress?: (state: Verdict & { done: number, left: number }) => void
  onDifference?: (difference: { id: string, rev?: string, what: string }) => void
}

/** Compares leaf revisions, histories, bodies, attachments' digests, local documents and security. */
export function verifyDatabase (source: Source, target: Target, options?: VerifyOptions): Promise<Verdict>

/** Several databases that become one, whose documents say by `_access` who may read and write them. */
export interface PartOptions {
  /** Whether ids begin with the user's name and a colon, or with the database's name. Default false: of two databases that have an id, the second one's document is skipped. */
  prefixIds?: boolean
  /** Whether design documents come over, without `_access`: for everybody. Default false. */
  designs?: boolean
}

/** Names and roles that may read a database, and so its documents. */
export interface People { names: string[], roles: string[] }

/** Documents that did not come over. */
export interface LeftBehind { designs: number, locals: number }

/**
 * Brings a database over into one of many users' documents: each document gets the names and roles of its database's
 * `_security` as `_access`. Local documents stay behind.
 */
export function importPart (source: Source, target: Target, options?: ImportOptions & PartOptions): Promise<{ summary: Summary, people: People, left: LeftBehind }>

/** Compares a database with what `importPart` made of it, and adds what it has to `known`. */
export function verifyPart (source: Source, target: Target, options?: VerifyOptions & PartOptions & { known?: Set<string> }): Promise<{ verdict: Verdict, people: People, left: LeftBehind }>

/** The leaf revisions in the target that are not among those that all calls of `verifyPart` added. */
export function onlyThere (target: Target, known: Set<string>): AsyncGenerator<{ id: string, rev: string }, void>
