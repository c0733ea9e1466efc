/** Function sources, and the design document that their `require` finds. */
export interface Functions { sources: string[], library?: any }

/** Runs strangers' functions in a sandbox on a thread of its own. Failures are a `CouchError`. */
export class QueryServer {
  /** timeout: milliseconds a batch (5000); memory: bytes a program (64 MB). */
  constructor (limits?: { timeout?: number, memory?: number })
  /** For each document, for each function: its rows. Documents are objects or JSON texts. */
  map (functions: Functions, docs: any[]): Promise<Array<Array<Array<[any, any]>>>>
  filter (functions: Functions, docs: any[], req?: any): Promise<boolean[]>
  /** True where the map function emits. */
  emits (functions: Functions, docs: any[]): Promise<boolean[]>
  /** For each group, for each function: the reduction. */
  reduce (functions: Functions, groups: Array<[any[] | null, any[]]>, rereduce?: boolean): Promise<any[][]>
  /** For each call `[newDoc, oldDoc, userCtx, secObj]`: what the function threw, or null. */
  validate (functions: Functions, calls: any[][]): Promise<Array<{ error: string, reason: string } | null>>
  compile (functions: Functions): Promise<void>
  close (): Promise<void>
}
