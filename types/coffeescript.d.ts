declare module 'coffeescript' {
  /** Translates a source into JavaScript. Throws a SyntaxError with the place of a mistake. */
  export function compile (source: string, options?: { bare?: boolean, header?: boolean }): string
}
