// Modules of the page that need no page.

import { readFile } from 'node:fs/promises';
import ts from 'typescript';

export async function load(name) {
  const source = await readFile(new URL(`../src/lib/${name}`, import.meta.url), 'utf8');
  const { outputText } = ts.transpileModule(source, { compilerOptions: { target: 'es2022', module: 'esnext' } });
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}
