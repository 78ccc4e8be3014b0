// What was asked for on one page and happens on the next. An address alone starts no search, because it may come
// from anybody; a press of a button here does.

let wanted = '';

export function intend(what: string): void {
  wanted = what;
}

/** Was it asked for? It is then done, and not again. */
export function take(what: string): boolean {
  const asked = wanted === what;
  if (asked) wanted = '';
  return asked;
}
