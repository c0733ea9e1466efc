declare module 'stopword' {
  /** Lists of words, under three letters of the language's name. */
  const lists: Record<string, string[]>
  export = lists
}
