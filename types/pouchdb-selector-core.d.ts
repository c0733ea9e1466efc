declare module 'pouchdb-selector-core' {
  export function getFieldFromDoc (doc: any, parsedField: string[]): any
  export function setFieldInDoc (doc: any, parsedField: string[], value: any): void
  /** Puts a selector into the form that matching takes: each field with its operators, merged. */
  export function massageSelector (selector: Record<string, any>): Record<string, any>
  /** Splits a path at its dots: `a.b\.c` is `a` and `b.c`. */
  export function parseField (field: string): string[]
}
