declare module 'pouchdb-collate' {
  /** Compares two keys in PouchDB's order: negative, 0 or positive. */
  export function collate (a: unknown, b: unknown): number
  export function normalizeKey (key: unknown): any
  export function toIndexableString (key: unknown): string
  export function parseIndexableString (text: string): any
}
