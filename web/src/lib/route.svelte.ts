// Everything has an address: `#/play?fen=…&moves=…`.

interface Route {
  parts: string[];
  query: URLSearchParams;
}

function read(): Route {
  const [path = '', search = ''] = location.hash.replace(/^#/, '').split('?', 2);
  return {
    parts: path.split('/').filter(Boolean).map(decodeURIComponent),
    query: new URLSearchParams(search),
  };
}

let current = $state.raw<Route>(read());

addEventListener('hashchange', () => (current = read()));

export const route = {
  get page() {
    return current.parts[0] ?? '';
  },
  get parts() {
    return current.parts;
  },
  get query() {
    return current.query;
  },
};

type Values = Record<string, string | number | null | undefined>;

export function address(path: string, query: Values = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') search.set(key, String(value));
  }
  // Slashes and commas read better as they are.
  const text = search.toString().replace(/%2F/g, '/').replace(/%2C/g, ',').replace(/%3A/g, ':');
  return text ? `#${path}?${text}` : `#${path}`;
}

/** Writes down where we are, without a step in the browser's history and without loading anew. */
export function note(path: string, query: Values = {}): void {
  history.replaceState(null, '', address(path, query));
}

/** The same with a step: the browser's Back leads to where we were. */
export function step(path: string, query: Values = {}): void {
  history.pushState(null, '', address(path, query));
}

export function go(path: string, query: Values = {}): void {
  location.hash = address(path, query);
}
