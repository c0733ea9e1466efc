export interface ErrorEntry { status: number, error: string, reason: string, name?: string, message?: string, isGiven?: boolean }
export const table: Record<string, ErrorEntry>
/** `status` goes with a code whose status `isGiven` alone. */
export interface ErrorDetails { reason?: string, error?: string, status?: number, id?: string, rev?: string, conflicts?: Conflict[], cause?: unknown }
/** A document that is not as a transaction takes it to be, and its revision; null where it is not there. */
export interface Conflict { id: string, rev: string | null }
export class CouchError extends Error {
  constructor (code: string, details?: ErrorDetails)
  code: string
  status: number
  error: string
  reason: string
  id?: string
  rev?: string
  conflicts?: Conflict[]
  toJSON (): { error: string, reason: string, conflicts?: Conflict[] }
  static create (code: string, details?: ErrorDetails): CouchError
}
export function createError (code: string, details?: ErrorDetails): CouchError
/** A 400 `bad_request` with that reason. */
export function badRequest (reason: string): CouchError
/** JSON as CouchDB repeats it in reasons: Erlang's terms, strings as numbers (`~w`). */
export function formatTerm (value: unknown): string
/** The same with readable strings (`~p`). */
export function printTerm (value: unknown): string
/** A text of the request's path or query as CouchDB repeats it (`~p` of a list of characters). */
export function printText (text: string): string
