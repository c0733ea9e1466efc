import { DocumentStore } from '@potoroo/document-store'

export interface User { name: string | null, roles: readonly string[] }

/** The access of a replication to a database here. */
export interface LocalAccess {
  /** As the user may use it. `takesBare`: it writes documents that carry their text alone, see `readBare` of @potoroo/document-store. */
  database: Pick<DocumentStore, 'updateSeq' | 'get' | 'revsDiff' | 'bulkGet' | 'getAttachment' | 'write' | 'info' | 'getLocal' | 'putLocal' | 'changes' | 'follow'> & { takesBare?: boolean }
  formatSequence (seq: number): string
  parseSequence (seq: any): number
  /** Returns the options of `database.changes()` for the filter of a replication. */
  changesOptions (filter: { filter?: string, queryParams?: Record<string, any>, docIds?: string[], selector?: any }): Promise<any>
}

export interface LocalDatabases {
  /** Throws a `CouchError`: not_found, unauthorized, forbidden. */
  open (name: string, user: User): Promise<LocalAccess>
  /** Makes a database that is not there. */
  create (name: string, user: User): Promise<void>
  /** Makes all that was written survive. */
  flush (): Promise<void>
  /** Returns what answers the requests of a user to a database that is used by requests alone; undefined for others. */
  requestsOf? (name: string, user: User): ((request: { path: string, method: string, headers: Record<string, string | number>, body?: any, signal: AbortSignal }) => Promise<any>) | undefined
}

/** The keys of CouchDB's `[replicator]`, with their defaults. */
export interface Settings {
  max_jobs: number
  interval: number
  max_churn: number
  max_history: number
  health_threshold: number
  startup_jitter: number
  update_docs: boolean
  worker_processes: number
  worker_batch_size: number
  http_connections: number
  connection_timeout: number
  retries_per_request: number
  use_checkpoints: boolean
  use_bulk_get: boolean
  checkpoint_interval: number
  max_document_id_length: number
  missing_doc_retry_msec: number
  valid_endpoint_protocols: string[]
  valid_proxy_protocols: string[]
  verify_ssl_certificates: boolean
  ssl_trusted_certificates_file?: string
  cert_file?: string
  key_file?: string
  password?: string
}

export const defaults: Readonly<Settings>

/** The place that a connection is to go to: `address` is null if a proxy looks the name up, and it has none here. */
export interface Peer { host: string, address: string | null, port: number }

export interface ReplicatorOptions {
  databases: LocalDatabases
  /** Returns this server's uuid: it is part of the ids of replications. */
  uuid (): string
  /** Over the defaults; asked for each time. */
  settings? (): Partial<Settings>
  /** As whom the replication of a document uses databases here. */
  userOf (doc: any): Promise<User>
  /** Sets members of a document of a `_replicator` database, and removes those that are undefined, if the document as it is then is the one that is meant. */
  updateDocument (database: string, id: string, members: Record<string, any>, isMeant: (doc: any) => boolean): Promise<void>
  /** No credentials are in what is logged. */
  log? (level: 'notice' | 'warning' | 'error', message: string): void
  /**
   * Hears each time that something happened: `jobs.adds`, `jobs.duplicate_adds`, `jobs.removes`, `jobs.starts`, `jobs.stops`, `jobs.crashes`,
   * `failed_starts`, `checkpoints.success`, `checkpoints.failure`, `changes_read_failures`, `requests`, `responses.success`, `responses.failure`,
   * `stream_responses.success`, `stream_responses.failure`, `docs.db_changes`, `docs.completed_state_updates`, `docs.failed_state_updates`.
   */
  count? (name: string): void
  /** `User-Agent` of requests to others. Default `CouchDB-Replicator`. */
  agentName?: string
  /** Why a user may not have a host asked, judged for each connection; null: they may, as everybody by default. */
  refusal? (user: User, peer: Peer): string | null
  node?: string
  /** Sends requests in spans of traces. */
  tracing?: {
    /** The request that is being answered; undefined: none is. */
    readonly current: unknown
    /** `send` is called once, with headers that tell the peer of the trace. */
    ask<Answer extends { statusCode: number }> (parent: unknown, request: { method: string, url: URL, target: string }, send: (headers: Record<string, string>) => Promise<Answer>): Promise<Answer>
  }
}

/** The replications of a server. Failures are a `CouchError`. */
export class Replicator {
  constructor (options: ReplicatorOptions)
  /** By the body of `POST /_replicate`. Resolves once all is copied; of a continuous one, and of cancelling, at once with `_local_id`. */
  replicate (body: any, user: User): Promise<Record<string, any>>
  /** As `GET /_active_tasks` shows them. */
  tasks (): any[]
  /** As `GET /_scheduler/jobs` shows them. */
  jobs (): any[]
  job (id: string): any
  /** As `GET /_scheduler/docs` shows it; null where it is over, or not known. */
  describeDocument (database: string, id: string): any
  /** Throws bad_request where a document cannot be a replication. */
  validate (doc: any): void
  readonly documents: {
    /** A document of a `_replicator` database was written, or is there at start. */
    updated (database: string, doc: any): void
    removed (database: string, id: string): void
    databaseDeleted (database: string): void
  }
  /** Starts and stops what settings that changed want started and stopped. */
  reschedule (): Promise<void>
  /** Makes all that runs connect again, because the answers of `refusal` have changed. */
  reconnect (): Promise<void>
  /** Ends all runs after a last checkpoint. */
  close (): Promise<void>
}

/** The `source` or `target` of a document as others than its owner see it. */
export function stripCredentials (endpoint: any): any
/** Its name or URL without credentials; null where it is malformed. */
export function shownGiven (endpoint: any, settings: Settings): string | null

/** The content of an attachment that is read where it is when it is iterated; `length` in bytes as it comes. */
export class AttachmentContent implements AsyncIterable<Uint8Array> {
  constructor (length: number, open: () => Promise<AsyncIterable<Uint8Array>>)
  readonly length: number
  /** `gzip` once the first bytes came, if they are compressed. */
  encoding: string | undefined
  /** The error of reading it. */
  failure: any
  [Symbol.asyncIterator] (): AsyncGenerator<Uint8Array, void>
}

/** A revision on its way; `bare` and `doc` without `_attachments`. */
export interface RemoteDocument {
  id: string
  rev: string
  bare (): string
  doc (mayBeBare?: boolean): any
  /** Stubs, or with `data`: content, or base64. */
  attachments: Record<string, any> | null
  /** Whether it came with many others. */
  bulkGet: boolean
}

export interface RemoteChanges { changes: Array<{ id: string, revs: string[], seq: any }>, lastSeq: any, pending: number | null }

/**
 * A database elsewhere, or a server. Failures are errors with CouchDB's `code`, `reason`, `answered` (the status of HTTP, if there was
 * an answer), and `cause`.
 */
export interface RemoteDatabase {
  untilNow (since: any, limitOf?: () => number): AsyncIterable<RemoteChanges>
  /** Gives the revisions that are not there. */
  revsDiff (revs: Map<string, string[]>): Promise<Array<{ id: string, rev: string, attsSince: string[] }>>
  /**
   * `content`: small attachments come along if they are stored plain (`stored`), all of them decompressed (`plain`), or none (`later`). The
   * others are read when they are wanted.
   */
  fetch (wanted: Array<{ id: string, rev: string, attsSince: string[] }>, how?: { content?: 'stored' | 'plain' | 'later', retries?: number }):
    AsyncIterable<Array<(RemoteDocument & { size: number }) | { id: string, rev: string, missing: true, reason: string }>>
  /** Keeps the revisions, and gives what was refused. */
  write (documents: RemoteDocument[]): Promise<Array<{ id: string, rev?: string, error: string, reason: string }>>
  /** Asks for anything under its URL; `json` is null where the answer is none. */
  request (method: string, path: string, options?: { query?: Record<string, any>, json?: any, body?: string }): Promise<{ status: number, json: any, text: string }>
  close (): Promise<void>
}

/** Opens a database elsewhere for others than replications. `authorization` is the value of the header. */
export function openRemote (address: { url: string, authorization?: string }, options: {
  agentName: string
  /** Times that a request is sent again if it may succeed later. */
  retries: number
  signal?: AbortSignal
  onPause?: (failure: Error, wait: number) => void
}): RemoteDatabase

/** The path of a document under its database's. */
export function documentPath (id: string): string
