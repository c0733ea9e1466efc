declare module 'pouchdb-selector-core' {
  /** Puts a selector into the form that matching takes: each field with its operators, merged. */
  export function massageSelector (selector: Record<string, any>): Record<string, any>
  /** Splits a path at its dots: `a.b\.c` is `a` and `b.c`. */
  export function parseField (field: string): string[]
}
