// SPDX-License-Identifier: Apache-2.0
// The grammar of `.mlc` files, in the order of the language reference (README.md).
//
// Every decision is made on one token of lookahead, so the generated parser is plain switches that never run
// ANTLR's prediction; the build refuses a grammar that needs more (CMakeLists.txt). Four habits keep it so:
//  - Binary operators are one flat list (`expression`, `chain`): frontend/syntax/build_expression.cpp sorts
//    them by the table of precedences that stands there and in the reference.
//  - `(',' item?)*` instead of `(',' item)* ','?`: the lexer has already refused two commas or semicolons in a row.
//  - What Python's grammar tells apart late is accepted wide here and checked when the tree is built: targets
//    of assignments, `name=value` against positional arguments, `*x`, `:=`, the order of parameters.
//  - The lexer joins `is not` and `not in`, and marks the parenthesis of `with (a as b, c):`.
// Everything the tree builder reads has a label: the parser runs without child lists.
// The lexer is written by hand (frontend/syntax/lexer.cpp): it reads the spellings of keywords and operators
// from this file, and makes the tokens named in `tokens` itself.
grammar Mlc;

tokens {
  NAME,           // a letter or `_`, then letters, digits, `_`; not a keyword
  INTEGER,        // 12  1_000  0xFF  0o17  0b11
  FLOAT,          // 1.5  .5  2.  1e-3
  STRING,         // 'a' "a" '''a''' """a""", with r, b, u, rb before it
  FSTRING_START,  // f" and its kin; then text and fields in turn
  FSTRING_TEXT,
  FSTRING_END,
  NEWLINE,        // the end of a logical line: not inside brackets, not after `\`
  INDENT,         // the next line is deeper
  DEDENT,         // one for each block that ends
  IS_NOT,         // `is not`
  NOT_IN,         // `not in`
  WITH_OPEN       // `(` after `with` when it encloses a list of items
}

// ---- 1. Files and lines ----

file: statements+=statement* EOF;
expressionFile: value=expressionList NEWLINE? EOF;

statement
  : line=simpleLine
  | branch=ifStatement
  | repetition=whileStatement
  | loop=forStatement
  | scope=withStatement
  | guarded=tryStatement
  | function=functionDefinition
  | type=classDefinition
  | definition=decorated
  ;

simpleLine: parts+=simpleStatement (';' parts+=simpleStatement?)* NEWLINE;

block
  : NEWLINE INDENT body+=statement+ DEDENT
  | line=simpleLine
  ;

// ---- 2. Simple statements ----

simpleStatement
  : assigning=assignment
  | keyword=('pass' | 'break' | 'continue')
  | returning=returnStatement
  | raising=raiseStatement
  | asserting=assertStatement
  | deleting=deleteStatement
  | importing=importStatement
  | importingFrom=fromStatement
  | declaring=scopeStatement
  ;

// An expression statement, `a = b = c`, `a: int = 1` or `a += 1`.
assignment
  : first=assigned
    ( colon=':' annotation=expression ('=' value=assigned)?
    | op=('+=' | '-=' | '*=' | '@=' | '/=' | '//=' | '%=' | '**=' | '<<=' | '>>=' | '&=' | '^=' | '|=') value=assigned
    | ('=' more+=assigned)*
    )
  ;
assigned: list=expressionList | yielded=yieldExpression;

returnStatement: 'return' value=expressionList?;
raiseStatement: 'raise' (raised=expression ('from' cause=expression)?)?;
assertStatement: 'assert' test=expression (',' message=expression)?;
deleteStatement: 'del' targets=targetList;
scopeStatement: keyword=('global' | 'nonlocal') names+=NAME (',' names+=NAME)*;

importStatement: 'import' modules+=importedModule (',' modules+=importedModule)*;
importedModule: module=dottedName ('as' alias=NAME)?;
fromStatement
  : 'from' dots+=('.' | '...')* module=dottedName? 'import'
    ( star='*'
    | '(' names+=importedName (',' names+=importedName?)* ')'
    | names+=importedName (',' names+=importedName)*
    )
  ;
importedName: name=NAME ('as' alias=NAME)?;
dottedName: parts+=NAME ('.' parts+=NAME)*;

// ---- 3. Compound statements ----

ifStatement
  : 'if' tests+=expression ':' blocks+=block ('elif' tests+=expression ':' blocks+=block)* ('else' ':' otherwise=block)?
  ;
whileStatement: 'while' test=expression ':' body=block ('else' ':' otherwise=block)?;
forStatement: 'for' targets=targetList 'in' iterable=expressionList ':' body=block ('else' ':' otherwise=block)?;

// A target has its own rule because in an expression `in` is an operator.
targetList: targets+=operand (commas+=',' targets+=operand?)*;

withStatement
  : 'with'
    ( WITH_OPEN items+=withItem (',' items+=withItem?)* ')'
    | items+=withItem (',' items+=withItem)*
    )
    ':' body=block
  ;
withItem: context=expression ('as' target=operand)?;

tryStatement
  : 'try' ':' body=block handlers+=exceptClause* ('else' ':' otherwise=block)? ('finally' ':' ending=block)?
  ;
exceptClause: 'except' (type=expression ('as' name=NAME)?)? ':' body=block;

functionDefinition
  : 'def' name=NAME types=typeParameters? '(' arguments=parameters? ')' ('->' result=expression)? ':' body=block
  ;
typeParameters: '[' items+=typeParameter (',' items+=typeParameter?)* ']';
typeParameter: star=('*' | '**')? name=NAME (':' bound=expression)?;
parameters: items+=parameter (',' items+=parameter?)*;
parameter
  : name=NAME (':' annotation=expression)? ('=' value=expression)?
  | star='*' (name=NAME (':' annotation=expression)?)?
  | star='**' name=NAME (':' annotation=expression)?
  | slash='/'
  ;

classDefinition: 'class' name=NAME types=typeParameters? ('(' bases=argumentList? ')')? ':' body=block;

decorated: decorators+=decorator+ (function=functionDefinition | type=classDefinition);
decorator: '@' value=expression NEWLINE;

// ---- 4. Expressions ----

expressionList: items+=expression (commas+=',' items+=expression?)*;

expression
  : function=lambda
  | operands+=operand (operators+=binaryOperator operands+=operand)*
    ( 'if' test=chain 'else' otherwise=expression
    | walrus=':=' value=expression
    )?
  ;

// An expression without `if … else`, where an `if` would belong to a comprehension.
chain: operands+=operand (operators+=binaryOperator operands+=operand)*;

binaryOperator
  : 'or' | 'and'
  | '<' | '>' | '==' | '>=' | '<=' | '!=' | 'in' | NOT_IN | 'is' | IS_NOT
  | '|' | '^' | '&' | '<<' | '>>' | '+' | '-' | '*' | '@' | '/' | '//' | '%' | '**'
  ;

lambda: 'lambda' (items+=lambdaParameter (',' items+=lambdaParameter?)*)? ':' body=expression;
lambdaParameter
  : name=NAME ('=' value=expression)?
  | star='*' name=NAME?
  | star='**' name=NAME
  | slash='/'
  ;

yieldExpression: 'yield' ('from' source=expression | value=expressionList)?;

// ---- 5. Operands ----

// `*` and `not` are accepted before any operand; the tree builder knows where they may stand.
operand
  : prefixes+=('not' | '-' | '+' | '~' | '*')*
    ( token=(NAME | INTEGER | FLOAT | 'None' | 'True' | 'False' | '...')
    | text=strings
    | open='(' (group=sequence | yielded=yieldExpression)? ')'
    | open='[' group=sequence? ']'
    | open='{' entries=braces? '}'
    )
    trailers+=trailer*
  ;

trailer
  : dot='.' name=NAME
  | open='(' arguments=argumentList? ')'
  | open='[' subscripts=subscriptList ']'
  ;

argumentList: items+=argument (',' items+=argument?)*;
argument
  : value=expression ('=' keywordValue=expression | clauses+=comprehensionClause+)?
  | star='**' value=expression
  ;

subscriptList: items+=subscript (commas+=',' items+=subscript?)*;
subscript
  : lower=expression (colon=':' upper=expression? (':' step=expression?)?)?
  | colon=':' upper=expression? (':' step=expression?)?
  ;

// The inside of `( )` and `[ ]`.
sequence: items+=expression (clauses+=comprehensionClause+ | (commas+=',' items+=expression?)*);
comprehensionClause: 'for' targets=targetList 'in' iterable=chain ('if' conditions+=chain)*;

// The inside of `{ }`.
braces: entries+=entry (clauses+=comprehensionClause+ | (',' entries+=entry?)*);
entry
  : key=expression (colon=':' value=expression)?
  | star='**' value=expression
  ;

// ---- 6. Strings ----

strings: parts+=stringPart+;
stringPart: text=STRING | FSTRING_START pieces+=fstringPiece* FSTRING_END;
fstringPiece: text=FSTRING_TEXT | field=fstringField;
fstringField
  : open='{' (value=expressionList | yielded=yieldExpression) debug='='? ('!' conversion=NAME)?
    (colon=':' spec+=fstringPiece*)? close='}'
  ;

// ---- 7. Keywords and operators ----

AND: 'and';
AS: 'as';
ASSERT: 'assert';
ASYNC: 'async';  // reserved: not part of the language
AWAIT: 'await';  // reserved: not part of the language
BREAK: 'break';
CLASS: 'class';
CONTINUE: 'continue';
DEF: 'def';
DEL: 'del';
ELIF: 'elif';
ELSE: 'else';
EXCEPT: 'except';
FALSE: 'False';
FINALLY: 'finally';
FOR: 'for';
FROM: 'from';
GLOBAL: 'global';
IF: 'if';
IMPORT: 'import';
IN: 'in';
IS: 'is';
LAMBDA: 'lambda';
NONE: 'None';
NONLOCAL: 'nonlocal';
NOT: 'not';
OR: 'or';
PASS: 'pass';
RAISE: 'raise';
RETURN: 'return';
TRUE: 'True';
TRY: 'try';
WHILE: 'while';
WITH: 'with';
YIELD: 'yield';

LPAREN: '(';
RPAREN: ')';
LBRACKET: '[';
RBRACKET: ']';
LBRACE: '{';
RBRACE: '}';
COMMA: ',';
COLON: ':';
SEMICOLON: ';';
DOT: '.';
ELLIPSIS: '...';
ARROW: '->';
ASSIGN: '=';
WALRUS: ':=';
BANG: '!';  // only inside a field of an f-string
PLUS: '+';
MINUS: '-';
STAR: '*';
DOUBLE_STAR: '**';
SLASH: '/';
DOUBLE_SLASH: '//';
PERCENT: '%';
AT: '@';
AMPERSAND: '&';
PIPE: '|';
CARET: '^';
TILDE: '~';
LEFT_SHIFT: '<<';
RIGHT_SHIFT: '>>';
LESS: '<';
GREATER: '>';
LESS_EQUAL: '<=';
GREATER_EQUAL: '>=';
EQUAL: '==';
NOT_EQUAL: '!=';
PLUS_ASSIGN: '+=';
MINUS_ASSIGN: '-=';
STAR_ASSIGN: '*=';
AT_ASSIGN: '@=';
SLASH_ASSIGN: '/=';
DOUBLE_SLASH_ASSIGN: '//=';
PERCENT_ASSIGN: '%=';
DOUBLE_STAR_ASSIGN: '**=';
LEFT_SHIFT_ASSIGN: '<<=';
RIGHT_SHIFT_ASSIGN: '>>=';
AMPERSAND_ASSIGN: '&=';
CARET_ASSIGN: '^=';
PIPE_ASSIGN: '|=';
