/** The owner of functions. */
export interface Origin {
  /** The database's name. */
  database: string
  /** An id that no other database has: functions of one never share a context with those of another. Default: the name. */
  instance?: string
  /** The design document's id. */
  design: string
}

/** Function sources, their language (`javascript`, the default, or `coffeescript`), and the design document that their `require` finds. */
export interface Functions {
  sources: string[]
  library?: any
  language?: string
  origin?: Origin
  /** Says that they are functions of text indexes: they have `index (name, value, options)`, or Nouveau's `index (type, name, value, options)`, in place of `emit`. Each call is a row, whose key is its arguments. */
  indexes?: 'search' | 'nouveau'
}

export interface Limits {
  /** Milliseconds for a document, and for compiling a program. Default 5000. */
  timeout?: number
  /** Bytes a program. Default 64 MiB. */
  memory?: number
  /** Rows of one document for one map function: one with more has none. Default 100,000. */
  rows?: number
  /** Bytes of their keys and values as JSON text, about. Default 16 MiB. */
  bytes?: number
  /** Requests that are run at once, except for those that take long. Default: the cores, but 2 at least. */
  parallel?: number
  /** Threads at most. Default 100. */
  threads?: number
  /** Idle threads beyond this number end. Default 100. */
  softThreads?: number
  /** Milliseconds after which an idle thread ends. Default 300,000. */
  idle?: number
}

/** A line that a function logged, or why a map function left out a document: that is told five times for a program. */
export interface LogEntry { level: 'info' | 'warning', message: string, origin: Origin | undefined }

/**
 * Hears of threads: `process_starts`, `process_exits`, `process_error_exits`; of calls: `process_prompts`, which were answered, `process_errors`,
 * `calls.KIND` and `time.KIND` (microseconds), of the kinds `map`, `reduce`, `ddoc_vdu`, `ddoc_filter` and `ddoc_other`; of documents that were
 * mapped, `map_doc`, and their rows, `emits`; and of validations: `vdu_rejects`, and `vdu_process_time` (milliseconds of one call).
 */
export type Count = (name: string, by?: number) => void

/** A piece that a list function has sent: its first piece has `head`, what `start` was given; a `failure` is what it threw after that. */
export interface Piece { head?: any, body: Buffer, failure?: import('@potoroo/errors').CouchError }

/** Takes what a list function sends, and gives it rows. */
export interface ListStream {
  /**
   * Takes a piece, and waits for its client as long as it likes: the function waits as well, and keeps its
   * thread. Resolves to whether more is wanted; else the function has no more rows.
   */
  write (piece: Piece): Promise<boolean>
  /** Takes the last piece. */
  end (piece: Piece): void
  /** JSON of the next rows: `{ rows, last }`. */
  rows (): Promise<string>
  /** Others have waited for a thread while this one waits for its client: it is to wait no longer. */
  giveWay? (): void
}

export interface CallOptions {
  /** It goes after all that is not, and leaves a thread to it. */
  background?: boolean
}

/** A part of the rows of map functions: what a message can hold. */
export interface RowPart {
  /** How many documents have their last rows in it. */
  documents: number
  /** How many rows there are. */
  emits: number
  [name: string]: any
}

/** Makes, in a thread, parts of what map functions emit. */
export interface RowEncoder {
  /** Takes rows of a document, for each function; null: it has none, nor those that came before. */
  add (views: Array<Array<[any, any]> | null>): void
  /** The document has no more. Sends what has come together: each call waits until the part is taken. */
  end (send: (part: RowPart) => void): void
  /** The part that is not sent yet. */
  rest (): RowPart | undefined
}

export interface MapOptions extends CallOptions {
  /** The file of a module, which threads load, with `makeEncoder (options): RowEncoder`, and what that is called with. */
  encoder: { module: string, options?: any }
  /**
   * Takes a part, in the order of the documents; null stands for one document without rows. The thread waits
   * for it. If the engine fails, a document that had rows in parts before begins again.
   */
  take (part: RowPart | null): unknown
}

/**
 * Runs strangers' functions in a sandbox on threads of its own, which are started when they are needed.
 * Failures are a `CouchError`: what a function threw, `compilation_error`, or `os_process_error` where it
 * took too long or too much.
 */
export class QueryServer {
  constructor (options?: Limits & { log?: (entry: LogEntry) => void, count?: Count, parseLong?: (text: string) => Promise<any> })
  /** Sets the limits of all that is run from now on. */
  configure (limits: Limits): void
  /** Threads end as soon as they have nothing to do; what is run from now on has new ones. */
  reload (): void
  /** How many threads there are, and how many of them work. */
  readonly size: { threads: number, busy: number }
  /** For each document, for each function: its rows. Documents are objects or JSON texts. */
  map (functions: Functions, docs: any[], options?: CallOptions): Promise<Array<Array<Array<[any, any]>>>>
  /** The same in parts, encoded in the thread. Resolves when the last one was taken. */
  mapInParts (functions: Functions, docs: any[], options: MapOptions): Promise<void>
  filter (functions: Functions, docs: any[], req?: any): Promise<boolean[]>
  /** True where the map function emits. */
  emits (functions: Functions, docs: any[]): Promise<boolean[]>
  /** For each group, for each function: the reduction. */
  reduce (functions: Functions, groups: Array<[any[] | null, any[]]>, rereduce?: boolean): Promise<any[][]>
  /** For each call `[newDoc, oldDoc, userCtx, secObj]`: what the function threw, or null. */
  validate (functions: Functions, calls: any[][]): Promise<Array<{ error: string, reason: any } | null>>
  /**
   * One call of a show, update or rewrite function; `json` is of its arguments, `{ doc, req }`.
   * Resolves to the response; of an update to `{ doc, response }`; of a rewrite to `{ result }`, or null where it has none.
   */
  render (functions: Functions, kind: 'show' | 'update' | 'rewrite', json: string): Promise<any>
  /** One call of a list function whose rows are all in `json`; null where it sends too much, and `list` has to be called. */
  shortList (functions: Functions, json: string): Promise<Piece | null>
  /** One call of a list function; `json` is `{ head, req, rows, last }`, with the first rows and whether there are no more. */
  list (functions: Functions, json: string, stream: ListStream): Promise<void>
  /**
   * One call of a function `(params, tx)`, which reads documents by `tx.get` and `tx.find` and writes them by `tx.put` and
   * `tx.remove`; `json` is `{ params, user, seed, mostDocuments, mostBytes }`. `answer` gives JSON of a document, `null` for none, or of a list; what it
   * throws with a status below 500 the function may catch, anything else ends the call. Resolves to JSON of what the function returned and of
   * the documents to be written, or of what it threw: `{ error, reason, status }`, or `{ code, message, data }`.
   */
  call (
    functions: Functions, json: string, answer: (question: ['get', string] | ['find', any]) => Promise<string>
  ): Promise<{ result: string, writes: string } | { thrown: string }>
  compile (functions: Functions): Promise<void>
  /** Logs what is wrong with what a function gave. */
  warn (origin: Origin, message: string): void
  close (): Promise<void>
}
